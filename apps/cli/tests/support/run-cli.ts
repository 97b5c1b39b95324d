import type { Emulator } from '@cdn/emulator'
import { runCli as run } from './cli.ts'

interface Surroundings {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  readonly interrupt?: AbortSignal
  /** Called with all text on standard output so far. The command is interrupted if it returns true. */
  readonly interruptWhen?: (stdout: string) => boolean
}

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command line in this process against an emulator, in the emulator's time.
 *
 * @param words the words after `cdn`
 */
export async function runCli(emulator: Emulator, words: readonly string[], around: Surroundings = {}): Promise<Ran> {
  const { clock, fixtures, managementUrl, loggingUrl } = emulator
  const { env, interrupt, interruptWhen, ...setting } = around
  const interrupts = new AbortController()
  interrupt?.addEventListener('abort', () => interrupts.abort())
  let stdout = ''
  const { code, out, err } = await run(words, {
    fetch: emulator.fetch,
    ...setting,
    env: {
      CDN_MANAGEMENT_URL: managementUrl.href,
      CDN_LOGGING_URL: loggingUrl.href,
      CDN_ACCESS_KEY: fixtures.credentials.accessKey,
      ...env,
    },
    onOutput: (text) => {
      stdout += text
      if (interruptWhen?.(stdout)) interrupts.abort()
    },
    onInterrupt: (listener) => interrupts.signal.addEventListener('abort', listener),
    now: () => clock.now(),
    sleep: (ms, signal) => clock.waitUntil(clock.now().getTime() + ms, signal),
  })
  return { exitCode: code, stdout: out, stderr: err }
}
