import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from '../errors/command-error.ts'
import { type Profiles, parseProfiles } from './profile.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Loaded when it is needed: a credential of the environment needs no file. */
const files = () => import('node:fs/promises')

/** Bits by which anybody but the owner may read, write or search. */
const othersMask = 0o077

/** Where the profiles are: under the user's configuration folder. */
export function profileFile(env: Env): string {
  const folder =
    env['XDG_CONFIG_HOME'] ||
    (process.platform === 'win32' && env['APPDATA']) ||
    join(env['HOME'] || homedir(), '.config')
  return join(folder, 'cdn', 'profiles.json')
}

/**
 * Reads the profiles.
 *
 * @param warn told in one sentence when others can read the file
 * @returns the profiles; none where there is no file
 * @throws UsageError where it is not what it should be, CommandError where it cannot be read
 */
export async function readProfiles(env: Env, warn: (sentence: string) => void): Promise<Profiles> {
  const file = profileFile(env)
  const { readFile, stat } = await files()
  try {
    // Windows has no such bits; the user's folder is the user's there.
    const mode = process.platform === 'win32' ? 0 : (await stat(file)).mode
    const text = await readFile(file, 'utf8')
    if (mode & othersMask) warn(`Others can read the keys in ${file}. Run: chmod 600 '${file}'`)
    return parseProfiles(text, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    if (error instanceof CommandError) throw error
    throw new CommandError(`${file} cannot be read: ${code}`)
  }
}

/**
 * Writes the profiles, whole or not at all, to a file that only the owner can read.
 *
 * @throws CommandError where it cannot be written; the old file is then as it was
 */
export async function writeProfiles(env: Env, profiles: Profiles): Promise<void> {
  const file = profileFile(env)
  const { chmod, mkdir, open, rename, rm } = await files()
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await rm(temporary, { force: true })
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(profiles, undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // The mode of `open` is narrowed by the umask only; this states it.
    await chmod(temporary, 0o600)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new CommandError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`)
  }
}
