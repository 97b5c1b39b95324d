/** Uses an emulator from outside: only through its addresses and credentials. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defined } from '@cdn/kit/defined'
import { repository } from '../copy.ts'

/** The line that `cdn-emulator --json` prints. */
export interface Ready {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly accessKey: string
  readonly bearerToken: string
  readonly env: Readonly<Record<string, string>>
}

/** An emulator as seen from outside. */
export interface Outside {
  readonly key: string
  readonly bearer: string
  readonly noScope: string
  management(path: string, init?: RequestInit): Promise<Response>
  logging(path: string, init?: RequestInit): Promise<Response>
  /** Adds rows to pull zone 2002. */
  append(...rows: object[]): Promise<void>
  /** The rows of pull zone 2002. */
  storedRows(): Promise<readonly { readonly timestamp: number }[]>
  advance(ms: number): Promise<void>
}

/** Starts the emulator as a separate process, with a virtual clock. */
export async function startProcess(
  args: readonly string[],
  program = join(repository, 'packages/emulator/src/bin.ts'),
  node = process.execPath,
): Promise<{ ready: Ready; child: ChildProcess; stop(): Promise<void> }> {
  const child = spawn(node, [program, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  const ready: Ready = JSON.parse(String(line))
  return {
    ready,
    child,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

/** @param ready the line that the program printed, or the same data of an emulator in this process */
export function outsideOf(
  ready: Pick<Ready, 'managementUrl' | 'loggingUrl' | 'accessKey' | 'bearerToken' | 'env'>,
): Outside {
  const headers = { AccessKey: ready.accessKey }
  const control = async (path: string, body?: object) => {
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(new URL(`_emulator/${path}`, ready.loggingUrl), init)
    if (!response.ok) throw new Error(await response.text())
    return JSON.parse(await response.text())
  }
  return {
    key: ready.accessKey,
    bearer: ready.bearerToken,
    noScope: defined(ready.env['CDN_NO_SCOPE_TOKEN']),
    management: (path, init) => fetch(new URL(path, ready.managementUrl), { headers, ...init }),
    logging: (path, init) => fetch(new URL(path, ready.loggingUrl), { headers, ...init }),
    append: async (...rows) => {
      await control('log-rows', { rows: rows.map((row) => ({ pullZoneId: '2002', ...row })) })
    },
    storedRows: async () => (await control('log-rows?zone=2002')).rows,
    advance: async (ms) => void (await control('clock/advance', { ms })),
  }
}
