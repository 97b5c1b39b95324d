/** The files that `cdn` keeps for its user: profiles and names of zones. */
import { open, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env } from '@cdn/kit/env'
import { makeFolder, readPrivateFile, writeWhole } from '@cdn/kit/private-file'
import { codeOf, writeFailure } from '@cdn/kit/system-error'
import { sleep } from '@cdn/kit/wait'
import { CommandError } from '../terminal/command-error.ts'

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
 * Reads a file of the user.
 *
 * @param warn called with a sentence if others can read or replace the file
 * @returns undefined if the file does not exist
 * @throws CommandError if it cannot be read, or is not a regular file
 */
export function readUserFile(file: string, warn?: (sentence: string) => void): string | undefined {
  try {
    return readPrivateFile(file, warn)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${codeOf(error) ?? String(error)}.`)
  }
}

const [lockTries, lockPauseMs] = [100, 50]

/**
 * Changes a file of the user, which only its owner can read. Processes that change it wait for each other, so no change is lost.
 *
 * @param change gets the present content; undefined without a file
 * @throws CommandError if the file cannot be read or written, or stays locked for 5 s; it is then unchanged
 */
export async function changeUserFile(file: string, change: (text: string | undefined) => string): Promise<void> {
  const lock = `${file}.lock`
  try {
    makeFolder(dirname(file), 0o700)
  } catch {
    // reported by the lock
  }
  await acquire(lock)
  try {
    await writeUserFile(file, change(readUserFile(file)))
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
    throw new CommandError(`${file} cannot be written: ${writeFailure(codeOf(error) ?? String(error))}`)
  }
}

async function acquire(lock: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await (await open(lock, 'wx', 0o600)).close()
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new CommandError(`${lock} cannot be written: ${writeFailure(codeOf(error) ?? String(error))}`)
      if (tries >= lockTries)
        throw new CommandError(`${lock} exists: another cdn changes the file. If none is running, remove the lock.`)
      await sleep(lockPauseMs)
    }
  }
}
