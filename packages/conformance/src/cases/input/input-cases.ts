/** The cases of an operation: requests that break or meet a constraint of one part, and hostile input. */

import { type Operation, type Parameter, plainSchema } from '@cdn/api/contract'
import { stringifyJson } from '@cdn/kit/json'
import { kebabCase } from '@cdn/kit/letter-case'
import { isRecord } from '@cdn/kit/record'
import { hourMs } from '@cdn/kit/time'

import type { RequestParts } from '../../exchange/call.ts'
import * as hostile from '../../exchange/hostile-input.ts'
import { dayOf, idParameterOf } from '../../exchange/resources.ts'
import { bodyExample, parameterExample, requiredParameters, resolverOf } from '../../exchange/schema-example.ts'
import { type SchemaCase, schemaCases } from './schema-cases.ts'

export interface InputCase {
  readonly label: string
  /**
   * `met`: the request stays valid. `broken`: it breaks a constraint. `absent`: no resource has its id. `odd`: the contract does not state
   * whether it is valid.
   */
  readonly kind: 'met' | 'broken' | 'absent' | 'odd'
  readonly place: 'path' | 'query' | 'body' | 'request'
  /** The parameter or field that the case changes. */
  readonly parameter?: string
  /**
   * The constraint of the body that the case breaks or meets. Each constraint has a requirement. `field` is empty for the whole
   * body.
   */
  readonly part?: { readonly field: string; readonly constraint: string }
  /** Replaces parts of the valid request. */
  readonly change: RequestParts
  /** For a case with an odd text: the text, and a function that makes the change with another text. */
  readonly text?: string
  readonly changeTo?: (text: string) => RequestParts
}

/** A valid request, which the cases change. */
export interface ValidInput {
  readonly request: RequestParts
  /** Id of the resource in the path, and an id that no resource has. */
  readonly id?: string | undefined
  readonly absent?: string | undefined
  readonly now: Date
}

/** Returns the cases of an operation with example values, so that a plan can list them without a target. */
export function exampleCases(operation: Operation): InputCase[] {
  return inputCases(operation, { request: { body: bodyExample(operation) }, id: '1', absent: '2', now: new Date(0) })
}

/** Returns all cases of an operation, as changes of a valid request. */
export function inputCases(operation: Operation, valid: ValidInput): InputCase[] {
  return [
    ...operation.parameters.flatMap((parameter) =>
      [
        ...(parameter.in === 'path' ? pathCases(operation, parameter, valid) : []),
        ...(parameter.in === 'query' ? queryCases(operation, parameter, valid) : []),
      ].map((each) => ({ ...each, parameter: parameter.name })),
    ),
    ...unstatedQueryCases(operation),
    ...bodyCases(operation, valid.request),
    odd('request', `method ${hostile.unsupportedMethod}`, { method: hostile.unsupportedMethod }),
  ]
}

function odd(place: InputCase['place'], label: string, change: RequestParts): InputCase {
  return { place, label: `${place} ${label}`, kind: 'odd', change }
}

/** Makes one case per text. The text of a failing case can be shrunk. */
function oddTexts(
  place: InputCase['place'],
  name: string,
  texts: Readonly<Record<string, string>>,
  changeTo: (text: string) => RequestParts,
): InputCase[] {
  return Object.entries(texts).map(([label, text]) => ({
    ...odd(place, `${name}: ${label}`, changeTo(text)),
    parameter: name,
    text,
    changeTo,
  }))
}

function pathCases(operation: Operation, parameter: Parameter, { id, absent, now, request }: ValidInput): InputCase[] {
  const { name } = parameter
  const to = (value: string): RequestParts => ({ path: { [name]: value } })
  const isFirst = idParameterOf(operation) === name
  const valid = parameter.day !== undefined ? dayOf(now) : isFirst && id !== undefined ? id : request.path?.[name]
  // If the resource has a parent, the other path parameters are ids, too.
  const isId = id !== undefined && (isFirst || operation.resource?.parent !== undefined)
  const cases = constrained(operation, parameter, valid, to).filter(({ change }) => isSegment(change.path?.[name]))
  const days = parameter.day === undefined ? {} : hostile.impossibleDays(now)
  const texts = oddTexts('path', name, { ...days, ...hostile.texts }, to)
  // A valid value other than the given one may select no resource.
  const isSure = ({ kind, change }: InputCase) =>
    kind === 'broken' || parameter.day !== undefined || change.path?.[name] === valid
  const isNumber = valid !== undefined && /^\d+$/.test(valid)
  const isUuid = parameter.schema.format === 'uuid'
  if (!isId || !(isNumber || isUuid)) return [...cases.filter(isSure), ...texts]
  const others = [
    ...(absent === undefined || !isFirst ? [] : [absent]),
    ...(isNumber ? [...hostile.ids, ...hostile.similarIds.map((of) => of(BigInt(valid)))] : [hostile.unusedUuid]),
  ]
  const cannotExist = others.map(
    (other): InputCase => ({ ...odd('path', `${name} ${other}`, to(`${other}`)), kind: 'absent' }),
  )
  // The suite knows no other existing id, so all other valid ids count as absent.
  const own = cases.map((each) => (isSure(each) ? each : { ...each, kind: 'absent' as const }))
  return [
    ...own,
    ...cannotExist,
    ...(isNumber
      ? [
          {
            ...odd('path', `${name} beyond 64 bits`, to(`${hostile.wrappingId(BigInt(valid))}`)),
            kind: 'broken' as const,
          },
        ]
      : []),
    ...texts,
  ]
}

/** Whether a path parameter can have the value: an empty segment or dots alone would change the path. */
function isSegment(value = ''): boolean {
  return !/^\.*$/.test(value)
}

function queryCases(operation: Operation, parameter: Parameter, { now }: ValidInput): InputCase[] {
  const { name, required } = parameter
  const resolve = resolverOf(operation)
  const schema = plainSchema(parameter.schema, resolve)
  const isTime = schema.format === 'date-time'
  const valid = isTime ? new Date(now.getTime() - hourMs).toISOString() : parameterExample(parameter, resolve)
  const to = (value: string): RequestParts => ({ query: { [name]: value } })
  const all = operation.parameters.filter(({ in: place }) => place === 'query')
  const isFirst = all[0] === parameter
  const isSent = ([label]: readonly [string, unknown]) =>
    isFirst || operation.rateLimit === undefined || !hostile.oncePerOperation.includes(label)
  const texts = Object.fromEntries(Object.entries(hostile.texts).filter(isSent))
  const takesText = ({ schema: of }: Parameter) => [of.type ?? 'string'].flat().includes('string') && !of.enum
  const isText = takesText(parameter) || (isFirst && !all.some(takesText))
  const { [name]: _, ...others } = requiredParameters(operation)
  return [
    ...constrained(operation, parameter, valid, to),
    ...(required
      ? [
          { ...odd('query', `without ${name}`, { query: others }), kind: 'broken' as const },
          { ...odd('query', `with ${name}`, {}), kind: 'met' as const },
        ]
      : []),
    ...(isText ? oddTexts('query', name, texts, to) : []),
    ...Object.entries(hostile.queries).map(([label, raw]) => odd('query', `${name}: ${label}`, { search: raw(name) })),
  ]
}

/** A read without query parameters gets one that the contract does not state, because a server may parse any query. */
function unstatedQueryCases({ effect, parameters }: Operation): InputCase[] {
  if (effect !== 'read' || parameters.some(({ in: place }) => place === 'query')) return []
  return oddTexts('query', 'unstated', hostile.texts, (unstated) => ({ query: { unstated } }))
}

/**
 * Returns the cases of a parameter's schema. In a URL, every value is text, so a text or a list cannot have a wrong type, and
 * null is never valid.
 */
function constrained(
  operation: Operation,
  parameter: Parameter,
  valid: string | undefined,
  to: (value: string) => RequestParts,
): InputCase[] {
  const resolve = resolverOf(operation)
  const schema = plainSchema(parameter.schema, resolve)
  const isTyped = (at: string) =>
    [plainSchema(at === '' ? schema : (schema.items ?? {}), resolve).type]
      .flat()
      .every((type) => type !== 'string' && type !== 'array')
  return schemaCases(schema, resolve, valid)
    .filter(({ keyword, at, isBroken, value }) => (keyword !== 'type' || isTyped(at)) && (isBroken || value !== null))
    .map((each) => toCase(parameter.in === 'path' ? 'path' : 'query', parameter.name, each, to(toText(each.value))))
}

function toCase(
  place: InputCase['place'],
  name: string,
  { at, keyword, isBroken, value }: SchemaCase,
  change: RequestParts,
) {
  const where = [place, name, at].filter(Boolean).join(' ')
  const type = keyword === 'type' && isBroken ? ` by ${typeof value === 'object' ? typeOf(value) : value}` : ''
  return {
    place,
    label: `${where} ${keyword} ${isBroken ? 'broken' : 'met'}${type}`,
    kind: isBroken ? ('broken' as const) : ('met' as const),
    ...(at !== '' && { parameter: at }),
    change,
  }
}

function typeOf(value: object | null): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : 'an object'
}

function toText(value: unknown): string {
  return isRecord(value) || value === null ? String(stringifyJson(value)) : String(value)
}

/** Names of keywords in ids: a minimum and a maximum length are one requirement. */
const names: Readonly<Record<string, string>> = { minLength: 'length', maxLength: 'length' }

const wholeBody = { field: '', constraint: '' }

function bodyCases({ requestBody, ...operation }: Operation, { body }: RequestParts): InputCase[] {
  const schema = requestBody?.content['application/json']
  const missing: InputCase[] = [
    { ...odd('body', 'missing', { body: '' }), kind: 'broken' },
    { ...odd('body', 'given', {}), kind: 'met' },
  ]
  if (!requestBody) return []
  if (!schema) return missing
  const json = JSON.stringify(body)
  const whole = { kind: 'broken', part: wholeBody } as const
  const spelled = (table: Readonly<Record<string, (valid: string) => string>>, rest: Partial<InputCase> = {}) =>
    Object.entries(table).map(([label, spell]) => ({ ...odd('body', label, { body: spell(json) }), ...rest }))
  const strings = Object.entries(isRecord(body) ? body : {}).filter(([, value]) => typeof value === 'string')
  return [
    ...schemaCases(schema, resolverOf(operation), body).map((each) => ({
      ...toCase('body', '', each, { body: stringifyJson(each.value) ?? '' }),
      part:
        each.at === ''
          ? wholeBody
          : { field: kebabCase(each.at), constraint: names[each.keyword] ?? kebabCase(each.keyword) },
    })),
    ...missing.map((each) => ({ ...each, part: wholeBody })),
    ...spelled(hostile.brokenJson, whole),
    ...spelled(hostile.sameJson, { kind: 'met', part: wholeBody }),
    {
      ...odd('body', 'with a charset', { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
      kind: 'met',
      part: wholeBody,
    },
    ...spelled(hostile.oddJson),
    ...strings.flatMap(([name, valid]) =>
      oddTexts('body', name, { ...hostile.texts, ...hostile.strings }, (text) => ({
        // The valid value at the end shows a reader of the data who sent the text.
        body: JSON.stringify({ ...Object(body), [name]: `${text}${valid}` }),
      })),
    ),
    ...Object.entries(hostile.otherMediaTypes).map(([label, type]) =>
      odd('body', label, { headers: { 'Content-Type': type } }),
    ),
  ]
}
