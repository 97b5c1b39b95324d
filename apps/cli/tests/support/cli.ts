/** Runs the program in this process. The test provides streams, clock and network. */
import { PassThrough } from 'node:stream'
import { type ProcessApi, runCommandLine } from '../../src/main.ts'
import type { OutputStream } from '../../src/terminal/writer.ts'

export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>
  /** Content of standard input, which is a pipe and never a terminal. */
  readonly input?: string | Uint8Array
  readonly stdin?: PassThrough
  readonly fetch?: typeof fetch
  readonly now?: () => Date
  readonly sleep?: ProcessApi['sleep']
  /** Width of the terminal on standard output and error, in columns. By default, these are not terminals. */
  readonly columns?: number
  /** Called with every text that is written to standard output. */
  readonly onOutput?: (text: string) => void
  readonly onInterrupt?: ProcessApi['onInterrupt']
}

/** A stream that records its output. */
export function createStream(columns?: number, onOutput: (text: string) => void = () => {}) {
  let text = ''
  const stream: OutputStream = {
    ...(columns !== undefined && { isTTY: true, columns }),
    hasColors: () => false,
    write(data, done) {
      const piece = typeof data === 'string' ? data : new TextDecoder().decode(data)
      text += piece
      onOutput(piece)
      done()
      return true
    },
    on: () => stream,
  }
  return { stream, text: () => text }
}

export async function runCli(words: readonly string[], setting: Setting = {}): Promise<Run> {
  const { env = {}, input, fetch = refuse, now = () => new Date(), sleep = async () => {}, columns, onOutput } = setting
  const out = createStream(columns, onOutput)
  const err = createStream(columns)
  const stdin = setting.stdin ?? new PassThrough().end(input ?? '')
  const code = await runCommandLine(words, {
    env,
    // Safe: unless the stream is a terminal, the program uses only what every readable stream has.
    stdin: () => stdin as unknown as NodeJS.ReadStream,
    stdout: out.stream,
    stderr: err.stream,
    onInterrupt: setting.onInterrupt ?? (() => {}),
    fetch,
    now,
    sleep,
  })
  return { code, out: out.text(), err: err.text() }
}

/** The words of a line without shell syntax, as a shell splits them. */
export function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)]
  return words.map(([word, single, double]) => single ?? double ?? word)
}

/** A `fetch` whose responses come from a function. */
export function fetchFrom(respond: (request: Request) => Response | Promise<Response>): typeof fetch {
  return async (input, init) => respond(new Request(input, init))
}

const refuse = fetchFrom(() => {
  throw new Error('This test has no network')
})
