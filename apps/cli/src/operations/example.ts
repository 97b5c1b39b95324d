import { type Operation, type Parameter, sampleOf, sampleParameter } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { shellQuote } from '@cdn/kit/shell'
import type { Example } from '../commands/program/declaration.ts'
import { documentOf, flatten, jsonBodySchema, resolverOf, typesOf } from './schema.ts'

/** Ids of the emulator's resources. The key is the path segment before the id. */
const ids: ReadonlyMap<string | undefined, number> = new Map([
  ['videolibrary', 1001],
  ['pullzone', 2001],
  ['pullzones', 2002],
])

const style = {
  host: 'example.com',
  now: new Date('2026-06-17T14:30:00Z'),
  text: (name: string) => (/host/i.test(name) ? '*.example.com' : 'example'),
}

/** The values of a request that the emulator accepts: everything required, in the order of the contract. */
export interface ExampleRequest {
  /** Undefined for a day of logs. Today is the only day that surely has some. */
  readonly path: readonly (readonly [Parameter, unknown])[]
  readonly others: readonly (readonly [Parameter, unknown])[]
  /** A JSON body; undefined without one, and for a file. */
  readonly body?: unknown
}

/** Creates an example request of an operation, with ids of the emulator and a valid value for everything required. */
export function exampleRequest(operation: Operation): ExampleRequest {
  const resolve = resolverOf(documentOf(operation))
  const schema = jsonBodySchema(operation)
  const others = operation.parameters.filter(({ in: place, required }) => place !== 'path' && required)
  return {
    path: pathValues(operation),
    others: others.map((parameter) => [parameter, sampleParameter(parameter, resolve, style)]),
    ...(operation.requestBody?.required && schema && { body: sampleOf(schema, resolve, style) ?? {} }),
  }
}

/**
 * Creates an example that the command accepts.
 *
 * @param path names of the groups above the command, and its own name
 * @param options the option of each parameter and body field, by contract name
 */
export function commandExample(
  operation: Operation,
  path: readonly string[],
  options: ReadonlyMap<string, string>,
): Example {
  const request = exampleRequest(operation)
  const words = [
    'cdn',
    ...path,
    ...request.path.map(([{ day }, value]) => (day === undefined ? shellQuote(spell(value)) : '$(date -u +%m-%d-%y)')),
    ...request.others.flatMap(([{ in: place, name }, value]) => {
      const option = options.get(`${place} ${name}`)
      return option === undefined ? [] : optionWords(option, value)
    }),
    ...(request.body === undefined ? [] : bodyWords(request.body, options)),
    ...(operation.requestBody && !jsonBodySchema(operation) ? ['--body', '@watermark.png'] : []),
    ...(options.has('--yes') ? ['--yes'] : []),
  ]
  return { text: operation.summary, line: words.join(' ') }
}

function bodyWords(value: unknown, options: ReadonlyMap<string, string>): string[] {
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const hasWords = ([name, field]: [string, unknown]) => options.has(`body ${name}`) && [field].flat().length > 0
  const isPlain = fields.length > 0 && fields.every(hasWords)
  return isPlain
    ? fields.flatMap(([name, field]) => optionWords(options.get(`body ${name}`), field))
    : ['--body', shellQuote(JSON.stringify(value))]
}

function optionWords(option: string | undefined, value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.flatMap((entry) => [`--${option}`, shellQuote(spell(entry))])
}

function spell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function pathValues(operation: Operation): ExampleRequest['path'] {
  const api = documentOf(operation)
  const segments = operation.path.split('/')
  return segments.flatMap((segment, index) =>
    [...segment.matchAll(/(?<=\{)[^{}]+(?=\})/g)].map(([name]) => {
      const parameters = operation.parameters.filter((entry) => entry.in === 'path')
      const parameter = defined(parameters.find((entry) => entry.name === name))
      const { schema, day } = parameter
      if (day !== undefined) return [parameter, undefined] as const
      const isNumber = typesOf(flatten(schema, api)).includes('integer')
      const known = isNumber ? (ids.get(segments[index - 1]) ?? (/id$/i.test(name) ? 2002 : undefined)) : undefined
      return [parameter, known ?? sampleParameter(parameter, resolverOf(api), style)] as const
    }),
  )
}
