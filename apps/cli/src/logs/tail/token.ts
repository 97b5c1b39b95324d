import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Env, readUserFile, userFolder } from '../../target/user-file.ts'
import { UsageError } from '../../terminal/command-error.ts'
import { createSeen, type Seen } from './seen.ts'

/** Start of a tail, and the rows that were already printed. */
export interface Start {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly seen: Seen
  /** Whether the file of the token is missing. Then rows after `from` are printed again. */
  readonly isForgetful: boolean
}

const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?:_([\da-f]{8}))?$/

/** Folder for the state of finished tails. It holds digests of rows, not their content. */
const folderOf = (env: Env) => join(userFolder(env, 'state'), 'tails')

/**
 * Creates the token of a finished tail: the time before which all rows are closed, and the name of a file. The file has the digests
 * of the rows printed after that time. The time alone is not enough, because late rows may arrive among the printed rows. All
 * digests in the token itself would fill the screen.
 *
 * @param closedUntil in milliseconds since 1970
 * @param keptMs how long to keep such files: the retention, after which a token is useless
 * @returns the token; without the file name if the file cannot be written
 */
export async function writeToken(env: Env, closedUntil: number, seen: Seen, keptMs: number): Promise<string> {
  const time = new Date(closedUntil).toISOString()
  if (seen.size() === 0) return time
  const folder = folderOf(env)
  const name = randomBytes(4).toString('hex')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const old of await readdir(folder)) {
      // Another tail may remove the file at the same time.
      const known = await stat(join(folder, old)).catch(() => undefined)
      if (known && known.mtimeMs < Date.now() - keptMs) await rm(join(folder, old), { force: true })
    }
    await writeFile(join(folder, name), JSON.stringify(seen.save()), { mode: 0o600, flag: 'wx' })
    return `${time}_${name}`
  } catch {
    return time
  }
}

/**
 * Parses a token.
 *
 * @throws UsageError for an invalid token
 */
export async function readToken(env: Env, token: string): Promise<Start> {
  const [, time = '', name] = form.exec(token) ?? []
  const from = Date.parse(time)
  if (Number.isNaN(from)) {
    throw new UsageError(`--resume must be a token from the end of a tail, not ${JSON.stringify(token)}`)
  }
  try {
    const saved = name === undefined ? {} : JSON.parse((await readUserFile(join(folderOf(env), name))) ?? '')
    return { from, seen: createSeen(saved), isForgetful: false }
  } catch {
    return { from, seen: createSeen(), isForgetful: true }
  }
}
