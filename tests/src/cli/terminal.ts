/** Opens a shell on a real pseudo-terminal, with `cdn` on its PATH and an emulator as the platform. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { type IPty, spawn } from '@lydell/node-pty'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { buildCli } from '../../../apps/cli/scripts/build.ts'
import { repository } from '../copy-repository.ts'

/** Path of the built program, which `useProgram` sets. */
let program: string

/**
 * Builds the shipped program for the tests of a file, because it starts three times as fast as its sources. Its folder is within the
 * package, so that modules that are not bundled are found.
 */
export function useProgram(): void {
  const packageFolder = join(repository, 'apps/cli/.vitest')
  beforeAll(async () => {
    mkdirSync(packageFolder, { recursive: true })
    const outdir = mkdtempSync(join(packageFolder, 'terminal-'))
    await buildCli(outdir)
    program = join(outdir, 'bin.js')
  })
  afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))
}

export interface Terminal {
  readonly emulator: Emulator
  readonly home: string
  /** The whole output of the terminal so far. */
  readonly text: () => string
  /** Types text; `\r` ends a line. */
  readonly type: (keys: string) => void
  readonly resize: (columns: number) => void
  /**
   * Waits for output that matches.
   *
   * @returns the output since the last wait, up to the end of the match
   */
  readonly until: (pattern: RegExp | string) => Promise<string>
  readonly start: (line: string) => Promise<void>
  /** Waits until the started line has ended. */
  readonly end: () => Promise<Ended>
  readonly run: (line: string) => Promise<Ended>
}

/** The result of a line. */
export interface Ended {
  readonly code: number
  /** Output of the terminal since the start of the line. */
  readonly text: string
}

/** The shell prints this text after a line. No command prints it by chance. */
const mark = 'exit code of the line: '

interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Opens a terminal, and closes it at the end of the test. */
export async function openTerminal({ columns = 100, env = {} }: TerminalOptions = {}): Promise<Terminal> {
  const emulator = await createEmulator({ clock: 'real' })
  const { managementUrl, loggingUrl } = await emulator.listen()
  const home = mkdtempSync(join(tmpdir(), 'cdn-terminal-'))
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin/cdn'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const pty = spawn('/bin/sh', ['-i'], {
    name: 'xterm-256color',
    cols: columns,
    rows: 30,
    cwd: home,
    env: {
      PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
      HOME: home,
      LANG: 'C.UTF-8',
      PS1: '',
      PS2: '',
      CDN_MANAGEMENT_URL: managementUrl.href,
      CDN_LOGGING_URL: loggingUrl.href,
      CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
      ...env,
    },
  })
  onTestFinished(async () => {
    pty.kill('SIGKILL')
    await emulator.close()
    rmSync(home, { recursive: true, force: true })
  })
  return { emulator, home, ...converse(pty, columns) }
}

function converse(pty: IPty, columns: number): Omit<Terminal, 'emulator' | 'home'> {
  let text = ''
  let seen = 0
  let look = () => {}
  pty.onData((piece) => {
    text += piece
    look()
  })
  const until = (pattern: RegExp | string) =>
    new Promise<string>((resolve) => {
      look = () => {
        const [found] = typeof pattern === 'string' ? [pattern] : (pattern.exec(text.slice(seen)) ?? [])
        const index = found === undefined ? -1 : text.indexOf(found, seen)
        if (found === undefined || index === -1) return
        look = () => {}
        const start = seen
        seen = index + found.length
        resolve(text.slice(start, seen))
      }
      look()
    })
  const type = (keys: string) => pty.write(keys)
  let isQuiet = false
  let begun = 0
  const start = async (line: string) => {
    // Turn off the echo of the shell, because it would look like output.
    if (!isQuiet) {
      type(`stty -echo cols ${columns}; echo ${mark}$?.\r`)
      await until(`${mark}0.\r\n`)
    }
    isQuiet = true
    begun = seen
    type(`${line}; echo "${mark}$?."\r`)
  }
  const end = async () => {
    await until(new RegExp(`${mark}\\d+\\.\r\n`))
    const said = text.slice(begun, seen)
    const [, code] = assertDefined(new RegExp(`${mark}(\\d+)`).exec(said))
    return { code: Number(code), text: said.slice(0, said.lastIndexOf(mark)) }
  }
  return {
    text: () => text,
    type,
    resize: (width) => pty.resize(width, 30),
    until,
    start,
    end,
    run: async (line) => {
      await start(line)
      return end()
    },
  }
}

/** Removes SGR sequences only (colour, bold); cursor movements stay. */
export function withoutStyle(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
  return text.replaceAll(/\u001b\[[\d;]*m/g, '')
}
