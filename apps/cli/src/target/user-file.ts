/** The files that `cdn` keeps for its user: profiles and names of zones. */
import { constants, mkdir, open, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeWhole } from '@cdn/kit/own-file'
import { writeFailure } from '@cdn/kit/system-error'
import { sleep } from '@cdn/kit/wait'
import { CommandError, systemCode } from '../terminal/command-error.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** For each kind: the variable for the folder, the variable on Windows, and the default below the user's home. */
const kinds = {
  config: ['XDG_CONFIG_HOME', 'APPDATA', '.config'],
  cache: ['XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'],
} as const

/** The folder of this program for its files of a kind, as the XDG base directory specification and Windows define it. */
export function userFolder(env: Env, kind: keyof typeof kinds): string {
  const [variable, windows, fallback] = kinds[kind]
  const onWindows = process.platform === 'win32' ? env[windows] : undefined
  return join(env[variable] || onWindows || join(env['HOME'] || homedir(), fallback), 'cdn')
}

/**
 * Reads a file of the user. Never waits for a pipe, and follows no link.
 *
 * @param warn called with a sentence if others can read or replace the file
 * @returns undefined if the file does not exist
 * @throws CommandError if it cannot be read or is not a regular file
 */
export async function readUserFile(
  file: string,
  warn: (sentence: string) => void = () => {},
): Promise<string | undefined> {
  // Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  try {
    const handle = await open(file, flags)
    try {
      const status = await handle.stat()
      if (!status.isFile()) throw new CommandError(`${file} cannot be used: it is not a regular file.`)
      const uid = process.getuid?.()
      if (uid !== undefined) for (const risk of risksOf(file, status, await stat(dirname(file)), uid)) warn(risk)
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return undefined
    const reason = { ELOOP: 'it is a symbolic link', ENXIO: 'it is not a regular file' }[code] ?? code
    throw new CommandError(`${file} cannot be read: ${reason}.`)
  }
}

interface Status {
  readonly uid: number
  readonly mode: number
}

/**
 * The ways in which other users could read or replace a file.
 *
 * @param uid the user's id. Files of root count as the user's own
 */
export function risksOf(file: string, own: Status, folder: Status, uid: number): string[] {
  const isForeign = (status: Status) => status.uid !== uid && status.uid !== 0
  return [
    own.mode & 0o077 ? [`Others can read the keys in ${file}. Run: chmod 600 '${file}'`] : [],
    isForeign(own) ? [`${file} belongs to another user, who can read and change it.`] : [],
    isForeign(folder) || folder.mode & 0o022
      ? [`Others can replace ${file}. Make its folder your own, and run: chmod 700 '${dirname(file)}'`]
      : [],
  ].flat()
}

const [lockTries, lockPauseMs] = [100, 50]

/**
 * Changes a file of the user, which only its owner can read. Processes that change it wait for each other, so no change is lost.
 *
 * @param change gets the present content; undefined without a file
 * @throws CommandError if the file cannot be read or written, or stays locked for 5 s; it is then unchanged
 */
export async function changeUserFile(file: string, change: (text: string | undefined) => string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(() => {}) // reported by the lock
  const lock = `${file}.lock`
  await acquire(lock)
  try {
    await writeUserFile(file, change(await readUserFile(file)))
  } finally {
    await rm(lock, { force: true })
  }
}

/**
 * Writes a file of the user completely or not at all. Only its owner can read it, whatever the umask is.
 *
 * @throws CommandError if it cannot be written; it is then unchanged
 */
export async function writeUserFile(file: string, text: string): Promise<void> {
  try {
    await writeWhole(file, text, 0o700)
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${writeFailure(systemCode(error) ?? String(error))}`)
  }
}

async function acquire(lock: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await (await open(lock, 'wx', 0o600)).close()
    } catch (error) {
      if (systemCode(error) !== 'EEXIST')
        throw new CommandError(`${lock} cannot be written: ${writeFailure(systemCode(error) ?? String(error))}`)
      if (tries >= lockTries)
        throw new CommandError(`${lock} exists: another cdn changes the file. If none is running, remove the lock.`)
      await sleep(lockPauseMs)
    }
  }
}
