import type { Emulator } from '@cdn/emulator'
import { runCommandLine, type World } from '../../src/main.ts'

interface Surroundings {
  /** Columns of the terminal on standard output and standard error. */
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** Interrupts the command when this signal aborts. */
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
  const texts = { stdout: '', stderr: '' }
  const listeners: (() => void)[] = []
  const stream = (name: keyof typeof texts): World['stdout'] => ({
    ...(around.columns !== undefined && { isTTY: true, columns: around.columns, hasColors: () => true }),
    write(data, done) {
      texts[name] += typeof data === 'string' ? data : Buffer.from(data).toString()
      if (around.interruptWhen?.(texts.stdout)) for (const listener of listeners) listener()
      done()
      return true
    },
    on: () => {},
  })
  const exitCode = await runCommandLine(words, {
    env: {
      CDN_MANAGEMENT_URL: managementUrl.href,
      CDN_LOGGING_URL: loggingUrl.href,
      CDN_ACCESS_KEY: fixtures.credentials.accessKey,
      ...around.env,
    },
    stdin: () => process.stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    onInterrupt: (listener) => {
      listeners.push(listener)
      around.interrupt?.addEventListener('abort', listener)
    },
    fetch: around.fetch ?? emulator.fetch,
    now: () => clock.now(),
    sleep: (ms, signal) => clock.waitUntil(clock.now().getTime() + ms, signal),
  })
  return { exitCode, ...texts }
}
