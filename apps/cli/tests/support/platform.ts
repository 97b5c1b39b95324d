import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { type Run, runCli, type Setting } from './cli.ts'

export interface Platform {
  readonly emulator: Emulator
  readonly env: Readonly<Record<string, string>>
  /** Runs one command line against the emulator, in this process and without a socket. */
  readonly run: (words: readonly string[], setting?: Setting) => Promise<Run>
}

/** A fresh platform with a virtual clock. */
export async function createPlatform(options: EmulatorOptions = {}): Promise<Platform> {
  const emulator = await createEmulator(options)
  const env = {
    CDN_MANAGEMENT_URL: emulator.managementUrl.href,
    CDN_LOGGING_URL: emulator.loggingUrl.href,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
  }
  const { fetch, clock } = emulator
  return {
    emulator,
    env,
    run: (words, setting = {}) =>
      runCli(words, { fetch, now: () => clock.now(), ...setting, env: { ...env, ...setting.env } }),
  }
}
