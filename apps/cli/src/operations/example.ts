import type { OpenApi, Operation, Schema } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { shellQuote } from '@cdn/kit/shell'
import type { Example } from '../commands/program/declaration.ts'
import { alternativesOf, documentOf, flatten, jsonBodySchema, typesOf } from './schema.ts'

/** Ids of the emulator's resources. The key is the path segment before the id. */
const ids: ReadonlyMap<string | undefined, string> = new Map([
  ['videolibrary', '1001'],
  ['pullzone', '2001'],
  ['pullzones', '2002'],
])

const maxDepth = 8

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
    ...required.flatMap(({ in: place, name, schema }) =>
      optionWords(options.get(`${place} ${name}`), sampleOf(name, schema, api)),
    ),
    ...(operation.requestBody?.required && schema ? bodyWords(schema, api, options) : []),
    ...(operation.requestBody && !schema ? ['--body', '@watermark.png'] : []),
    ...(options.has('--yes') ? ['--yes'] : []),
  ]
  return { text: operation.summary, line: words.join(' ') }
}

function bodyWords(schema: Schema, api: OpenApi, options: ReadonlyMap<string, string>): string[] {
  const value = sampleOf('', schema, api)
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const isPlain = fields.length > 0 && fields.every(([name]) => options.has(`body ${name}`))
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
      const { schema, day } = defined(parameters.find((entry) => entry.name === name))
      if (day !== undefined) return '$(date -u +%m-%d-%y)'
      const isNumber = typesOf(flatten(schema, api)).includes('integer')
      const known = isNumber ? (ids.get(segments[index - 1]) ?? (/id$/i.test(name) ? '2002' : undefined)) : undefined
      return known ?? shellQuote(spell(sampleOf(name, schema, api)))
    }),
  )
}

/** A value that satisfies the type, bounds, enumerations and required properties of a schema; other keywords are ignored. */
function sampleOf(name: string, schema: Schema, api: OpenApi, depth = 0): unknown {
  const flat = flatten(schema, api)
  const stated = flat['const'] ?? flat.enum?.[0] ?? flat['example']
  if (stated !== undefined && stated !== null) return stated
  const [alternative] = alternativesOf(flat, api)
  if (alternative) return sampleOf(name, alternative, api, depth)
  const types = typesOf(flat)
  if (types.includes('integer') || types.includes('number')) return flat['minimum'] ?? 1
  if (types.includes('boolean')) return true
  if (types.includes('array')) return [sampleOf(name, flat.items ?? {}, api, depth + 1)]
  if (types.includes('object') || 'properties' in flat) {
    const { properties = {}, required = [], minProperties = 0 } = flat
    const names = [...new Set([...required, ...Object.keys(properties)])]
    const count = depth > maxDepth ? 0 : Math.max(new Set(required).size, minProperties)
    return Object.fromEntries(
      names.slice(0, count).map((key) => [key, sampleOf(key, properties[key] ?? {}, api, depth + 1)]),
    )
  }
  return textOf(name, flat)
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-06-17T14:30:00Z',
  date: '2026-06-17',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com/',
  email: 'name@example.com',
}

function textOf(name: string, schema: Schema): string {
  const value = formats[String(schema['format'])] ?? (/host/i.test(name) ? '*.example.com' : 'example')
  const { minLength = 0, maxLength = 1000 } = schema
  return value.padEnd(minLength, 'x').slice(0, maxLength)
}
