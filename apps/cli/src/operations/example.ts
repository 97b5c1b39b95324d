import { type Operation, type Parameter, sampleOf, sampleParameter } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { isRecord } from '@cdn/kit/record'
import { shellQuote } from '@cdn/kit/shell'
import type { Example } from '../program/command.ts'
import { documentOf, flatten, jsonBodySchema, type RequestOption, resolverOf, typesOf } from './schema.ts'

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

/**
 * Creates an example request of an operation that the emulator accepts, with ids of the emulator and a valid value for every required
 * parameter and field.
 *
 * @returns the values of the path (undefined for a day of logs, because only today surely has logs), of the other required parameters,
 *   and a JSON body (undefined if none is required, and for a file)
 */
export function exampleRequest(operation: Operation) {
  const resolve = resolverOf(documentOf(operation))
  const schema = jsonBodySchema(operation)
  const others = operation.parameters.filter(({ in: place, required }) => place !== 'path' && required)
  const exampleOf = (parameter: Parameter) => {
    const isList = typesOf(flatten(parameter.schema, documentOf(operation))).includes('array')
    const value = sampleParameter(parameter, resolve, style)
    return isList ? [value] : value
  }
  return {
    path: pathValues(operation),
    others: others.map((parameter) => [parameter, exampleOf(parameter)] as const),
    body: operation.requestBody?.required && schema ? (sampleOf(schema, resolve, style) ?? {}) : undefined,
  }
}

/**
 * Creates an example that the command accepts.
 *
 * @param path names of the groups above the command, and its own name
 * @param options the options of the command whose values go into the request
 */
export function commandExample(
  operation: Operation,
  path: readonly string[],
  options: readonly RequestOption[],
): Example {
  const request = exampleRequest(operation)
  /** The option of a parameter or a body field, with a value; nothing if the command has no such option. */
  const optionWords = (place: string, name: string, value: unknown) => {
    const long = options.find(({ target }) => target.place === place && target.name === name)?.option.long
    return long === undefined ? [] : [value].flat().flatMap((each) => [String(long), shellQuote(spell(each))])
  }
  const bodyWords = (value: unknown) => {
    const fields = isRecord(value) ? Object.entries(value).map(([name, field]) => optionWords('body', name, field)) : []
    const isPlain = fields.length > 0 && fields.every((words) => words.length > 0)
    return isPlain ? fields.flat() : ['--body', shellQuote(JSON.stringify(value))]
  }
  const words = [
    'cdn',
    ...path,
    ...request.path.map(([{ day }, value]) => (day === undefined ? shellQuote(spell(value)) : '$(date -u +%m-%d-%y)')),
    ...request.others.flatMap(([{ in: place, name }, value]) => optionWords(place, name, value)),
    ...(request.body === undefined ? [] : bodyWords(request.body)),
    ...(operation.requestBody && !jsonBodySchema(operation) ? ['--body', '@watermark.png'] : []),
    ...(operation.effect === 'destructive' ? ['--yes'] : []),
  ]
  return { text: operation.summary, line: words.join(' ') }
}

function spell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function pathValues(operation: Operation): (readonly [Parameter, unknown])[] {
  const api = documentOf(operation)
  return operation.path.split('/').flatMap((segment, index, segments) =>
    [...segment.matchAll(/(?<=\{)[^{}]+(?=\})/g)].map(([name]) => {
      const parameter = assertDefined(operation.parameters.find((entry) => entry.in === 'path' && entry.name === name))
      const { schema, day } = parameter
      if (day !== undefined) return [parameter, undefined] as const
      const isNumber = typesOf(flatten(schema, api)).includes('integer')
      const known = isNumber ? (ids.get(segments[index - 1]) ?? (/id$/i.test(name) ? 2002 : undefined)) : undefined
      return [parameter, known ?? sampleParameter(parameter, resolverOf(api), style)] as const
    }),
  )
}
