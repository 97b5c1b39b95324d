import type { Operation } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { terminalText } from '@cdn/kit/text'
import { masked } from '../output/output.ts'
import { writeWholeFile } from '../output/whole-file.ts'
import { CommandError, UsageError } from '../terminal/command-error.ts'
import type { CommandContext } from '../terminal/context.ts'
import type { OperationResponse } from './send.ts'

/** How to request and read the successful response of an operation. */
export interface Accept {
  readonly parseAs: 'json' | 'stream'
  /** Whether all stated media types are binary. */
  readonly isBinary: boolean
}

/** Prefers JSON over text, like the client's Accept header. Other responses may have any size, so they are streamed. */
export function acceptOf({ responses }: Pick<Operation, 'responses'>): Accept {
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => Object.keys(content))
  const json = types.find((type) => /[/+]json\b/.test(type))
  const isStream = json === undefined && types.length > 0
  return {
    parseAs: isStream ? 'stream' : 'json',
    isBinary: isStream && !types.some((type) => type.startsWith('text/')),
  }
}

interface FileOption {
  readonly file: string | undefined
}

/** @throws UsageError if bytes would go to a terminal */
export function checkTerminal({ out, platform }: CommandContext, option?: FileOption): void {
  if (!out.isTerminal || platform.isDryRun || option?.file !== undefined) return
  throw new UsageError(
    `The response is binary: ${option ? 'give --output-file FILE, or ' : ''}redirect standard output`,
  )
}

/**
 * Prints the body of a successful response on standard output, or saves it. Without a body, a terminal shows what the status
 * means.
 */
export async function printResponse(
  context: CommandContext,
  { responses }: Pick<Operation, 'responses'>,
  { data, response }: OperationResponse,
  option?: FileOption,
): Promise<void> {
  if (data instanceof ReadableStream) {
    const isText = /^text\//i.test(response.headers.get('Content-Type') ?? '')
    if (!isText) checkTerminal(context, option)
    const pieces = isText ? readLines(context, responses, data) : data
    if (option?.file !== undefined) return writeWholeFile(option.file, pieces)
    for await (const piece of pieces) await context.out.write(piece)
    return
  }
  if (data !== undefined && data !== null) return context.output.value(data)
  const stated = responses.find(({ status }) => status === String(response.status) || status === '2XX')
  const text = stated?.description ?? 'Success.'
  if (context.err.isTerminal) await context.err.write(`${terminalText(`${response.status}: ${text}`)}\n`)
}

const pieceLength = 32_768
/** Maximum length of a line that has not ended, as in the client's reader of day files. */
const maxLine = 2 ** 20

/** Splits text into lines. Hides visitors' credentials (`x-line`). Sanitizes the lines for a terminal. */
async function* readLines(
  context: CommandContext,
  responses: Operation['responses'],
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  const line = responses.find((response) => response.line)?.line ?? []
  const secret = line.findIndex(({ name }) => name === 'authorizationHeader')
  const show = (text: string) => {
    const safe = hideField(text, secret)
    return context.out.isTerminal ? terminalText(safe) : safe
  }
  let held = ''
  let ready = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = piece.split('\n')
    lines[0] = held + lines[0]
    held = defined(lines.pop())
    if (held.length > maxLine) throw new CommandError(`A line of the response is longer than ${maxLine} characters.`)
    ready += lines.map((text) => `${show(text)}\n`).join('')
    if (ready.length < pieceLength) continue
    yield ready
    ready = ''
  }
  yield ready + (held === '' ? '' : `${show(held)}\n`)
}

/** Hides a field and everything after it. Its position is reliable: the server removes pipes from texts; nothing is escaped. */
function hideField(line: string, index: number): string {
  const fields = index === -1 ? [] : line.split('|')
  const value = fields[index]
  if (value === undefined || value === '-' || value === '') return line
  return [...fields.slice(0, index), masked].join('|')
}
