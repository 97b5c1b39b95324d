import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../errors/command-error.ts'
import { createSeen, type Seen } from './seen.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where a tail begins, and what was shown already. */
export interface Start {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly seen: Seen
  /** The memory that the token names is not there: what was shown after `from` comes once more. */
  readonly isForgetful: boolean
}

const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?:_([\da-f]{8}))?$/

/** Where tails leave what they have shown: digests of rows, nothing of their content. */
function folderOf(env: Env): string {
  const state =
    env['XDG_STATE_HOME'] ||
    (process.platform === 'win32' && env['LOCALAPPDATA']) ||
    join(env['HOME'] || homedir(), '.local', 'state')
  return join(state, 'cdn', 'tails')
}

/**
 * Makes the token of a tail that ends: the time before which nothing is left to do, and the name of a file that holds what was
 * shown after it. A row that was shown cannot be told from one that came late by its time; a token with all of them would
 * fill the screen.
 *
 * @param settled in milliseconds since 1970
 * @param keptMs how long such files stay: the retention, after which no token is of use
 * @returns the token; the time alone where the file cannot be written
 */
export async function writeToken(env: Env, settled: number, seen: Seen, keptMs: number): Promise<string> {
  const time = new Date(settled).toISOString()
  if (seen.size() === 0) return time
  const folder = folderOf(env)
  const name = randomBytes(4).toString('hex')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await sweep(folder, Date.now() - keptMs)
    await writeFile(join(folder, name), JSON.stringify(seen.save()), { mode: 0o600, flag: 'wx' })
    return `${time}_${name}`
  } catch {
    return time
  }
}

async function sweep(folder: string, oldest: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    if ((await stat(file)).mtimeMs < oldest) await rm(file, { force: true })
  }
}

/**
 * Reads a token.
 *
 * @throws UsageError where it is none
 */
export async function readToken(env: Env, token: string): Promise<Start> {
  const [, time = '', name] = form.exec(token) ?? []
  const from = Date.parse(time)
  if (Number.isNaN(from)) {
    throw new UsageError(`--resume must be a token that a tail has printed, not ${JSON.stringify(token)}`)
  }
  if (name === undefined) return { from, seen: createSeen(), isForgetful: false }
  try {
    const saved = JSON.parse(await readFile(join(folderOf(env), name), 'utf8'))
    return { from, seen: createSeen(saved), isForgetful: false }
  } catch {
    return { from, seen: createSeen(), isForgetful: true }
  }
}
