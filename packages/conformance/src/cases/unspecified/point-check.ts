import { isRecord } from '@cdn/kit/record'
import type { Check, CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { Failure, Skip, TargetUnavailable } from '../../exchange/failure.ts'

/**
 * Makes the check of a point that the contract leaves unspecified. The check records what the target does, covers no requirement,
 * and never fails: if it can observe nothing, it is skipped.
 *
 * @param observe returns values by the ids of the points, without the points that it could not observe
 */
export function pointCheck(
  name: string,
  details: Pick<Check, 'effect' | 'needs' | 'wrongKey'>,
  observe: (context: CheckContext) => Promise<Readonly<Record<string, unknown>>>,
): Check {
  const run = async (context: CheckContext) => {
    try {
      for (const [point, value] of Object.entries(await observe(context))) context.observe(point, value)
    } catch (error) {
      if (error instanceof Failure || error instanceof TargetUnavailable)
        throw new Skip(`nothing could be observed: ${error.message}`)
      throw error
    }
  }
  const of = { requirements: [], source: 'supplement', basis: 'supplement' } as const
  return { id: `unspecified.${name}`, ...of, ...details, run }
}

/** A response as an observation. It holds the kind and schema of the body, but not the body. */
export interface ResponseObservation {
  readonly status: number
  readonly body: 'empty' | 'JSON' | 'text'
  readonly schema?: SeenSchema
  /** Sorted names of the headers about rate limits or about the end of a version. */
  readonly headers?: readonly string[]
}

/** Reduces a response to its status, the kind and schema of its body, and the names that `tellingHeaders` returns. */
export function seenResponse(response: ReceivedResponse): ResponseObservation {
  const { status, text } = response
  const headers = tellingHeaders(response)
  const common = { status, ...(headers.length > 0 && { headers }) }
  if (text === '') return { ...common, body: 'empty' }
  try {
    return { ...common, body: 'JSON', schema: schemaOf([JSON.parse(text)]) }
  } catch {
    return { ...common, body: 'text' }
  }
}

/** Returns the sorted names of the headers about rate limits or about the end of a version. */
export function tellingHeaders({ headers }: ReceivedResponse): string[] {
  return [...headers.keys()]
    .filter((name) => /(^|-)(retry-after|rate|ratelimit|limit|quota|deprecation|sunset)(-|$)/.test(name))
    .sort()
}

/** A JSON Schema with only the keywords that can be derived from values. */
interface SeenSchema {
  readonly type: string | readonly string[]
  readonly items?: SeenSchema
  readonly properties?: Readonly<Record<string, SeenSchema>>
}

/**
 * Derives a schema from observed values: their types, the fields of objects, the elements of arrays. The schema has no
 * `required`, because values cannot show what is required.
 *
 * @param values the observed values, at least one
 */
export function schemaOf(values: readonly unknown[]): SeenSchema {
  const types = [...new Set(values.map(typeOf))].sort()
  const elements = values.filter(Array.isArray).flat()
  const objects = values.filter(isRecord)
  const names = [...new Set(objects.flatMap(Object.keys))].sort()
  const fields = names.map((name) => [name, schemaOf(objects.flatMap((one) => (name in one ? [one[name]] : [])))])
  return {
    type: types.length === 1 ? (types[0] ?? 'null') : types,
    ...(elements.length > 0 && { items: schemaOf(elements) }),
    ...(names.length > 0 && { properties: Object.fromEntries(fields) }),
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
