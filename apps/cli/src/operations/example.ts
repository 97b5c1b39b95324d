import { type OpenApi, type Operation, type Schema, sampleOf, sampleParameter } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { shellQuote } from '@cdn/kit/shell'
import type { Example } from '../commands/program/declaration.ts'
import { documentOf, flatten, jsonBodySchema, resolverOf, typesOf } from './schema.ts'

/** Ids of the emulator's resources. The key is the path segment before the id. */
const ids: ReadonlyMap<string | undefined, string> = new Map([
  ['videolibrary', '1001'],
  ['pullzone', '2001'],
  ['pullzones', '2002'],
])

const style = {
  host: 'example.com',
  now: new Date('2026-06-17T14:30:00Z'),
  text: (name: string) => (/host/i.test(name) ? '*.example.com' : 'example'),
}

/**
 * Creates an example that the command accepts, with ids of the emulator and a valid value for everything required.
 *
 * @param path names of the groups above the command, and its own name
 * @param options the option of each parameter and body field, by contract name
 */
export function commandExample(
  operation: Operation,
  path: readonly string[],
  options: ReadonlyMap<string, string>,
): Example {
  const api = documentOf(operation)
  const schema = jsonBodySchema(operation)
  const required = operation.parameters.filter(
    (parameter) => parameter.required && options.has(`${parameter.in} ${parameter.name}`),
  )
  const words = [
    'cdn',
    ...path,
    ...pathValues(operation),
    ...required.flatMap((parameter) =>
      optionWords(options.get(`${parameter.in} ${parameter.name}`), sampleParameter(parameter, resolverOf(api), style)),
    ),
    ...(operation.requestBody?.required && schema ? bodyWords(schema, api, options) : []),
    ...(operation.requestBody && !schema ? ['--body', '@watermark.png'] : []),
    ...(options.has('--yes') ? ['--yes'] : []),
  ]
  return { text: operation.summary, line: words.join(' ') }
}

function bodyWords(schema: Schema, api: OpenApi, options: ReadonlyMap<string, string>): string[] {
  const value = sampleOf(schema, resolverOf(api), style) ?? {}
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

function pathValues(operation: Operation): string[] {
  const api = documentOf(operation)
  const segments = operation.path.split('/')
  return segments.flatMap((segment, index) =>
    [...segment.matchAll(/(?<=\{)[^{}]+(?=\})/g)].map(([name]) => {
      const parameters = operation.parameters.filter((entry) => entry.in === 'path')
      const parameter = defined(parameters.find((entry) => entry.name === name))
      const { schema, day } = parameter
      if (day !== undefined) return '$(date -u +%m-%d-%y)'
      const isNumber = typesOf(flatten(schema, api)).includes('integer')
      const known = isNumber ? (ids.get(segments[index - 1]) ?? (/id$/i.test(name) ? '2002' : undefined)) : undefined
      return known ?? shellQuote(spell(sampleParameter(parameter, resolverOf(api), style)))
    }),
  )
}
