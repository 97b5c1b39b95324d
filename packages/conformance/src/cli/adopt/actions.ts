import { type InterfaceName, type Operation, operations } from '@cdn/api/contract'
import { isRecord } from '@cdn/kit/record'
import type { SeenSchema } from '../../checks/probes/schema.ts'
import type { Observation } from '../../report/model.ts'

/** An action of an overlay, without the source of its facts. */
export interface ObservedAction {
  readonly target: string
  readonly update: Readonly<Record<string, unknown>>
}

interface SeenResponse {
  readonly status: number
  readonly schema?: SeenSchema
}

/** The observed points that show the answers of an operation. */
const answerPoints: readonly (readonly [point: string, operation: string])[] = [
  ['management.add-allowed-referrer.success', 'add-allowed-referrer'],
  ['management.add-allowed-referrer.hostname-required', 'add-allowed-referrer'],
  ['management.add-allowed-referrer.error-statuses', 'add-allowed-referrer'],
  ['management.add-allowed-referrer.bearer', 'add-allowed-referrer'],
  ['management.delete-watermark.absent-watermark', 'delete-watermark'],
  ['management.delete-watermark.scope-missing-status', 'delete-watermark'],
  ['logging.query-logs.body', 'query-logs'],
  ['logging.query-logs.unknown-zone', 'query-logs'],
  ['logging.query-logs.parameters', 'query-logs'],
  ['logging.errors.code-place', 'query-logs'],
  ...operations.map(
    ({ interface: name, name: operation }) => [`${name}.${operation}.unlisted-status`, operation] as const,
  ),
]

/** The observed points that show the fields of a record. */
const schemaPoints = {
  'management.pull-zone.fields': 'PullZone',
  'management.video-library.fields': 'VideoLibrary',
  'logging.log-entry.fields': 'LogEntry',
} as const

/**
 * Turns the observations of one interface into overlay actions. They add statuses and bodies that the document does not
 * have, and the fields of records. The actions never change what the document already states.
 */
export function actionsOf(name: InterfaceName, observations: readonly Observation[]): ObservedAction[] {
  const values = new Map(observations.map(({ id, value }) => [id, value]))
  const responses = operations
    .filter((operation) => operation.interface === name && operation.documented)
    .flatMap((operation) => responsesAction(operation, values))
  const schemas = Object.entries(schemaPoints).flatMap(([point, schema]) =>
    point.startsWith(`${name}.`) && values.has(point) ? [[schema, toRecordSchema(values.get(point))] as const] : [],
  )
  return [
    ...responses,
    ...(schemas.length > 0 ? [{ target: '$.components.schemas', update: Object.fromEntries(schemas) }] : []),
  ]
}

function responsesAction(operation: Operation, values: ReadonlyMap<string, unknown>): ObservedAction[] {
  const seen = answerPoints
    .filter(([point, name]) => name === operation.name && values.has(point))
    .flatMap(([point]) => answersIn(values.get(point)))
  const stated = new Map(operation.documented?.responses.map((response) => [response.status, response]))
  const update: Record<string, unknown> = {}
  for (const [status, answers] of Map.groupBy(seen, (answer) => String(answer.status))) {
    const response = stated.get(status)
    const schema = answers.find((answer) => answer.schema)?.schema
    const isShown = Object.keys(response?.content ?? {}).length > 0
    const content = schema && !isShown ? { content: { 'application/json': { schema } } } : {}
    if (!response) update[status] = { description: 'Observed; the document does not list this status.', ...content }
    else if ('content' in content) update[status] = content
  }
  const target = `$.paths['${operation.path}'].${operation.method}.responses`
  return Object.keys(update).length > 0 ? [{ target, update }] : []
}

/**
 * Returns the statuses and answers in an observation. An observation is a status, a list of statuses, a map from request
 * to status, or a whole answer.
 */
function answersIn(value: unknown): SeenResponse[] {
  if (typeof value === 'number') return [{ status: value }]
  if (Array.isArray(value)) return value.flatMap(answersIn)
  if (!isRecord(value)) return []
  const { status, schema } = value
  if (typeof status === 'number') {
    // A probe made this schema with `schemaOf`.
    return [{ status, ...(isRecord(schema) && { schema: schema as unknown as SeenSchema }) }]
  }
  return Object.values(value).flatMap(answersIn)
}

/** Makes an object schema of an observation. For the entries of a list, the observation has only the fields. */
function toRecordSchema(value: unknown): unknown {
  return isRecord(value) && 'type' in value && 'properties' in value ? value : { type: 'object', properties: value }
}
