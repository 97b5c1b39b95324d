import type { Operation } from '@cdn/api/contract'
import type { Context } from '../context/context.ts'
import { masked } from '../output/mask.ts'
import { cleanText } from '../output/text.ts'
import type { Answer } from './send.ts'

/** How the operation's success is to be read: text is streamed, whatever its size. */
export function parseAsOf({ responses }: Pick<Operation, 'responses'>): 'json' | 'stream' {
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => Object.keys(content))
  return types.some((type) => type.startsWith('text/')) ? 'stream' : 'json'
}

/** Prints the answer of a success: data on standard output; where there is none, a word for whoever sits at the terminal. */
export async function printAnswer(
  context: Context,
  { responses }: Pick<Operation, 'responses'>,
  { data, response }: Answer,
): Promise<void> {
  if (data instanceof ReadableStream) return printLines(context, responses, data as ReadableStream<Uint8Array>)
  if (data !== undefined && data !== null) return context.output.value(data)
  const stated = responses.find(({ status }) => status === String(response.status) || status === '2XX')
  const text = stated?.description ?? 'Done.'
  if (context.err.isTerminal) await context.err.write(`${cleanText(`${response.status}: ${text}`)}\n`)
}

/** Characters that are written at once. */
const chunk = 32_768

/** Lines of a v1 file: cleaned on a terminal, as they came elsewhere, but never with a visitor's credential (`x-line`). */
async function printLines(
  context: Context,
  responses: Operation['responses'],
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const line = responses.find((response) => response.line)?.line ?? []
  const secret = line.findIndex(({ name }) => name === 'authorizationHeader')
  const show = (text: string) => {
    const safe = hideField(text, secret)
    return context.out.isTerminal ? cleanText(safe) : safe
  }
  let held = ''
  let ready = ''
  for await (const piece of body.pipeThrough(
    new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>,
  )) {
    const lines = (held + piece).split('\n')
    held = lines.pop() ?? ''
    ready += lines.map((text) => `${show(text)}\n`).join('')
    if (ready.length < chunk) continue
    await context.out.write(ready)
    ready = ''
  }
  await context.out.write(ready + (held === '' ? '' : `${show(held)}\n`))
}

/** Nothing in a line is escaped, and the server strips pipes from text, so the position is sure. */
function hideField(line: string, index: number): string {
  const fields = index === -1 ? [] : line.split('|')
  const value = fields[index]
  if (value === undefined || value === '-' || value === '') return line
  return fields
    .with(index, masked)
    .slice(0, index + 1)
    .join('|')
}
