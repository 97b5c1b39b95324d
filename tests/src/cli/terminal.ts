/** A shell on a real pseudo-terminal, with `cdn` on its path and an emulator behind it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { type IPty, spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { repository } from '../copy.ts'

export interface Terminal {
  readonly emulator: Emulator
  /** The home of the shell. */
  readonly home: string
  /** Everything that the terminal was sent so far. */
  readonly text: () => string
  /** Types; a line ends with `\r`. */
  readonly type: (keys: string) => void
  readonly resize: (columns: number) => void
  /**
   * Waits until the terminal was sent something.
   *
   * @returns what came since the last wait, up to the end of it
   */
  readonly until: (pattern: RegExp | string) => Promise<string>
  /** Begins a line. */
  readonly start: (line: string) => Promise<void>
  /** Waits for the end of the line that was begun. */
  readonly end: () => Promise<Ended>
  /** Runs a line from its start to its end. */
  readonly run: (line: string) => Promise<Ended>
}

/** How a line ended. */
export interface Ended {
  readonly code: number
  /** What the terminal was sent since the line began. */
  readonly text: string
}

/** What the shell says after a line: nothing that a command could say by chance. */
const mark = 'exit code of the line: '

interface Asked {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Opens a terminal; it is closed when the test has ended. */
export async function openTerminal({ columns = 100, env = {} }: Asked = {}): Promise<Terminal> {
  const emulator = await createEmulator({ clock: 'real' })
  const { managementUrl, loggingUrl } = await emulator.listen()
  const home = mkdtempSync(join(tmpdir(), 'cdn-terminal-'))
  mkdirSync(join(home, 'bin'))
  const program = join(repository, 'apps/cli/src/bin.ts')
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
    // The shell's own echo would be taken for output.
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
    const [, code = ''] = new RegExp(`${mark}(\\d+)`).exec(said) ?? []
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

/** What a terminal was sent, without colours. */
export function withoutStyle(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of
  return text.replaceAll(/\u001b\[[\d;]*m/g, '')
}
