import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { type Run, runCli, type Setting } from './cli.ts'

export interface PlatformSetting extends Setting {
  readonly interrupt?: AbortSignal
  /** Called with all text on standard output so far. The command is interrupted if it returns true. */
  readonly interruptWhen?: (out: string) => boolean
}

export interface Platform {
  readonly emulator: Emulator
  readonly env: Readonly<Record<string, string>>
  /** Runs one command line against the emulator and in its time, in this process and without a socket. */
  readonly run: (words: string | readonly string[], setting?: PlatformSetting) => Promise<Run>
}

/** A fresh platform with a virtual clock. */
export async function createPlatform(options: EmulatorOptions = {}): Promise<Platform> {
  const emulator = await createEmulator(options)
  const { fetch, clock } = emulator
  const env = {
    CDN_MANAGEMENT_URL: emulator.managementUrl.href,
    CDN_LOGGING_URL: emulator.loggingUrl.href,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
  }
  const run: Platform['run'] = (words, { interrupt, interruptWhen, ...setting } = {}) => {
    const interrupts = new AbortController()
    interrupt?.addEventListener('abort', () => interrupts.abort())
    let out = ''
    return runCli(typeof words === 'string' ? words.split(' ') : words, {
      fetch,
      now: () => clock.now(),
      sleep: (ms, signal) => clock.waitUntil(clock.now().getTime() + ms, signal),
      onOutput: (text) => {
        out += text
        if (interruptWhen?.(out)) interrupts.abort()
      },
      onInterrupt: (listener) => interrupts.signal.addEventListener('abort', listener),
      ...setting,
      env: { ...env, ...setting.env },
    })
  }
  return { emulator, env, run }
}
