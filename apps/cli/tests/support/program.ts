/** The shipped program, in separate processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { inject, onTestFinished } from 'vitest'

export interface Home {
  /** An empty folder that is the working directory, the home and the temporary folder. */
  readonly folder: string
  /** Environment of a shell in that folder. `cdn` is on its path, and the test's own variables are unset. */
  readonly env: Record<string, string>
}

/** Creates a home that is removed at the end of the test. */
export async function createHome(env: Readonly<Record<string, string>> = {}): Promise<Home> {
  const home = temporaryFolder(onTestFinished)
  const bin = join(home, 'bin')
  await mkdir(bin)
  await mkdir(join(home, 'tmp'))
  const program = inject('program')
  await writeFile(join(bin, 'cdn'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const path = [bin, process.env['PATH']].join(delimiter)
  return { folder: home, env: { PATH: path, HOME: home, TMPDIR: join(home, 'tmp'), LANG: 'C.UTF-8', ...env } }
}

/** Starts an emulator with a real clock, and a home with its key. @param addresses whether the environment also has its addresses */
export async function createShell(addresses = true) {
  const emulator = await createEmulator({ clock: 'real' })
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const home = await createHome({
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
    ...(addresses && { CDN_MANAGEMENT_URL: managementUrl.href, CDN_LOGGING_URL: loggingUrl.href }),
  })
  return { home, emulator, managementUrl }
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * Runs a line of a POSIX shell.
 *
 * @param onOutput called with every piece of output
 */
export function runShell(
  line: string,
  { folder: cwd, env }: Home,
  onOutput: (child: ChildProcess, text: string) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const texts = { out: '', err: '' }
    for (const [name, stream] of [
      ['out', child.stdout],
      ['err', child.stderr],
    ] as const) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
        onOutput(child, text)
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...texts }))
  })
}
