/**
 * `node packages/conformance/tests/campaigns/coverage.ts [--read-only]`: which constraints of the contract the requests of one live run
 * against the emulator break and meet. The script reads the contract and the requests that arrive, and nothing of the checks.
 */
import { parseArgs } from 'node:util'
import { contracts, type Operation, operations, type Schema } from '@cdn/api/contract'
import { createValidators } from '@cdn/kit/contract-validator'
import { isRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { runLive } from '../support/live-run.ts'

/** A constraint of one place of a request. */
interface Constraint {
  readonly operation: string
  readonly name: string
  /** Whether a request breaks it; undefined if the request has no value at the place. */
  isBroken(request: Arrived): boolean | undefined
}

interface Arrived {
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: string
}

/** The constraints of the contract, and those that one run broke and met. */
export interface Figures {
  readonly all: readonly string[]
  readonly broken: readonly string[]
  readonly met: readonly string[]
}

const keywords = ['type', 'enum', 'format', 'pattern', 'minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength']
const lists = ['minItems', 'maxItems', 'additionalProperties']
const limits: Readonly<Record<string, bigint>> = { int32: 2n ** 31n, int64: 2n ** 63n }
const validatorOf = createValidators(false)

type Arrivals = Map<string, Arrived[]>

/**
 * Runs the suite once on the platform.
 *
 * @param isReadOnly whether the run has no permission to write
 */
export async function coverageOf(isReadOnly: boolean): Promise<Figures> {
  const arrivals: Arrivals = new Map()
  await runLive(
    {
      name: 'recorded',
      traffic: 'planted',
      break: ({ faults }) =>
        void faults.add({
          name: 'recorded',
          text: 'Each request is recorded.',
          around: async (call, operation, next) => {
            const bytes = await call.body()
            record(arrivals, operation, call.path, call.query, new TextDecoder().decode(bytes))
            return next({ ...call, body: async () => bytes }, operation)
          },
        }),
    },
    { allow: isReadOnly ? [] : ['write', 'destructive', 'burst'] },
  )
  const isReachable = (each: Operation) => !isReadOnly || (each.effect === 'read' && !isOfCreated(each))
  return figuresOf(operations.filter(isReachable), arrivals)
}

/** Whether a path has the id of an item that operations create: a run creates these itself, which is a write. */
function isOfCreated({ path, resource }: Operation): boolean {
  for (let each = resource; each; each = each.parent) {
    const isCreated = operations.some((other) => other.action?.kind === 'create' && other.resource === each)
    if (isCreated && path.split('/').length > each.path.split('/').length) return true
  }
  return false
}

function record(arrivals: Arrivals, operation: Operation, path: string, query: string, body: string): void {
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => String(name))
  const pattern = operation.path.replaceAll('.', '\\.').replace(/\{[^{}]+\}/g, '([^/]*?)')
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1) ?? []
  const parameters = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]))
  const request = { path: parameters, query: new URLSearchParams(query), body }
  arrivals.set(operation.name, [...(arrivals.get(operation.name) ?? []), request])
}

function figuresOf(reachable: readonly Operation[], arrivals: Arrivals): Figures {
  const all = reachable.flatMap(constraintsOf)
  const having = (isBroken: boolean) =>
    all.filter((each) => arrivals.get(each.operation)?.some((request) => each.isBroken(request) === isBroken))
  const names = (some: readonly Constraint[]) => some.map(({ operation, name }) => `${operation} ${name}`)
  return { all: names(all), broken: names(having(true)), met: names(having(false)) }
}

function constraintsOf({ interface: of, name: operation, parameters, requestBody }: Operation): Constraint[] {
  const { full } = contracts[of].openapi
  const inUrl = parameters.flatMap(({ in: place, name, schema, required }): Constraint[] => {
    if (place !== 'path' && place !== 'query') return []
    const valueIn = ({ path, query }: Arrived) => (place === 'path' ? path[name] : query.get(name)) ?? undefined
    const resolved = followReference(full, schema)
    const own = constraintsOfSchema(resolved, `${place} ${name}`, (request) => typed(resolved, valueIn(request)))
    return [
      // In a URL, each value is a text, and a list of one.
      ...own.filter(
        ({ name: constraint }) => !/string|array/.test(String(resolved.type)) || !constraint.endsWith(' type'),
      ),
      ...(place === 'query' && required
        ? [{ name: `query ${name} required`, isBroken: (request: Arrived) => !request.query.has(name) }]
        : []),
    ].map((each) => ({ ...each, operation }))
  })
  const schema = requestBody?.content['application/json']
  const inBody = schema ? constraintsOfSchema(followReference(full, schema), 'body', ({ body }) => parsed(body)) : []
  const given = { name: 'body required', isBroken: ({ body }: Arrived) => body === '' }
  return [...inUrl, ...[...inBody, ...(requestBody?.required ? [given] : [])].map((each) => ({ ...each, operation }))]
}

type Placed = Omit<Constraint, 'operation'>

function constraintsOfSchema(schema: Schema, where: string, valueIn: (request: Arrived) => unknown): Placed[] {
  const { properties = {}, required = [] } = schema
  const own = [...keywords, ...lists].filter((keyword) => schema[keyword] !== undefined)
  return [
    ...own.map((keyword) => ({
      name: `${where} ${keyword}`,
      isBroken: (request: Arrived) => {
        const value = valueIn(request)
        return value === undefined ? undefined : isInvalid({ [keyword]: schema[keyword], properties }, value)
      },
    })),
    ...required.map((name) => ({
      name: `${where} ${name} required`,
      isBroken: (request: Arrived) => {
        const value = valueIn(request)
        return isRecord(value) ? !(name in value) : undefined
      },
    })),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      constraintsOfSchema(inner, `${where} ${name}`, (request) => {
        const value = valueIn(request)
        return isRecord(value) ? value[name] : undefined
      }),
    ),
  ]
}

function isInvalid(schema: Schema, value: unknown): boolean {
  const limit = limits[schema.format ?? '']
  if (limit !== undefined)
    return /^-?\d+$/.test(String(value)) && (BigInt(String(value)) >= limit || BigInt(String(value)) < -limit)
  const { properties: _, ...keyword } = schema
  const number = typeof value === 'bigint' ? Number(value) : value
  return !validatorOf('additionalProperties' in keyword ? schema : keyword, {})(number)
}

/** Returns the value of a text in a URL, by the type of its schema. A whole number is a bigint if it is not safe. */
function typed({ type }: Schema, text: string | undefined): unknown {
  const isNumber = /integer|number/.test(String(type)) && /^-?\d+(\.\d+)?$/.test(text ?? '')
  if (String(type).includes('boolean') && /^(true|false)$/.test(text ?? '')) return text === 'true'
  if (!isNumber) return text
  return /\./.test(text ?? '') || Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text ?? '')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'read-only': { type: 'boolean', default: false } } })
  const { all, broken, met } = await coverageOf(values['read-only'])
  for (const name of all) if (!broken.includes(name) || !met.includes(name)) console.log(`not covered: ${name}`)
  console.log(`${all.length} constraints of requests: ${broken.length} broken, ${met.length} met`)
}
