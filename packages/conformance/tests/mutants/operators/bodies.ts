import {
  type Item,
  isKnownFormat,
  isStated,
  itemOf,
  type Operation,
  operations,
  plainSchema,
  type Schema,
  type StatedOperation,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { stringifyJson } from '@cdn/kit/json'
import { kebabCase } from '@cdn/kit/letter-case'
import { isRecord } from '@cdn/kit/record'
import { alterOperation, alterResponse, editText, jsonBody, keepBody, withBody } from '../alter-calls.ts'
import { type Behaviour, mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'
import { parametersOf } from './changed-state.ts'
import { otherValue, resolverOf, validatorOf } from './schema-values.ts'

const written = operations
  .filter(isStated)
  .filter(({ requestBody }) => requestBody?.content['application/json'] !== undefined)

const stepWithin = { minLength: 1, maxLength: -1, minimum: 1, maximum: -1, minItems: 1, maxItems: -1 }

/** The keywords of a schema that limit a value, without those that depend on others. */
const keywords = [
  ...['type', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
]
const constraints: Readonly<Record<string, string>> = { minLength: 'length', maxLength: 'length' }
const integerFormats = ['int32', 'int64']
/** Maximum number of steps from the body to a part. Deeper parts repeat the rules of recursive schemas. */
const maxDepth = 4

/** Mutants for each rule of a request body: the rule is not enforced, enforced too late, or off by one. */
export const requestBodyMutants: readonly ServerUnderTest[] = written.flatMap((operation) => [
  ...rulesOf(operation).flatMap(({ end }) => {
    const [own, refusal] = [requirementIdOf(operation, end), requirementIdOf(operation, '400')]
    const id = `request-body.${operation.name}.${end}`
    return [
      mutant(`${id}-not-enforced`, [own, refusal], guessing(operation, end)),
      mutant(`${id}-too-late`, [own, requirementIdOf(operation, 'robustness')], guessing(operation, end, true)),
    ]
  }),
  ...Object.entries(schemaOf(operation).properties ?? {}).flatMap(([name, property]) => {
    const schema = plainSchema(property, resolverOf(operation.interface))
    return Object.entries(stepWithin).flatMap(([keyword, step]) =>
      // Leave out texts with a pattern, because a text at the boundary may not match it.
      typeof schema[keyword] === 'number' && schema['pattern'] === undefined
        ? [
            tighter(
              operation,
              name,
              { ...schema, [keyword]: schema[keyword] + step * (schema.multipleOf ?? 1) },
              keyword,
            ),
          ]
        : [],
    )
  }),
])

function schemaOf(operation: Operation): Schema {
  return plainSchema(assertDefined(operation.requestBody?.content['application/json']), resolverOf(operation.interface))
}

interface BodyRule {
  readonly end: string
  /** The property of the body that the rule is about; absent if it is about the whole body. */
  readonly property?: string
  isBroken(body: unknown): boolean
}

/** Returns the rules that a schema states itself, each as a name and a schema with only this rule. */
function ownRules(schema: Schema): [constraint: string, only: Schema][] {
  const { properties = {}, additionalProperties, format = '' } = schema
  const isTested = integerFormats.includes(format) || (isKnownFormat(format) && format !== 'uri-reference')
  const isRule = (keyword: string) => keyword !== 'format' || (isTested && !schema.enum)
  const known = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
  return [
    ...keywords
      .filter((keyword) => schema[keyword] !== undefined && isRule(keyword))
      .map((keyword): [string, Schema] => [constraints[keyword] ?? kebabCase(keyword), { [keyword]: schema[keyword] }]),
    ...(additionalProperties === false
      ? [['additional-properties', { properties: known, additionalProperties }] satisfies [string, Schema]]
      : []),
  ]
}

/** Returns the rules of a request body. If a body breaks several rules, only the mutants of the first one handle it. */
function rulesOf(operation: Operation): BodyRule[] {
  const resolve = resolverOf(operation.interface)
  const rules = new Map<string, BodyRule>()
  const add = (at: readonly string[], constraint: string, isBroken: BodyRule['isBroken']) => {
    const [property] = at
    const end = property === undefined ? 'request-object' : `${kebabCase(at.join('/'))}-${constraint}`
    const earlier = rules.get(end)
    const isEither = (body: unknown) => earlier?.isBroken(body) || isBroken(body)
    rules.set(end, { end, ...(property !== undefined && { property }), isBroken: isEither })
  }
  const visit = (stated: Schema, at: readonly string[], partsOf: (body: unknown) => readonly unknown[]) => {
    const schema = plainSchema(stated, resolve)
    const { properties = {}, items, required = [] } = schema
    for (const [constraint, only] of ownRules(schema))
      add(at, constraint, (body) => partsOf(body).some((part) => !validatorOf(only, {})(toNumber(part))))
    for (const name of required) {
      add([...at, name], 'required', (body) => partsOf(body).some((part) => isRecord(part) && !(name in part)))
    }
    if (at.length === maxDepth) return
    for (const [name, property] of Object.entries(properties)) {
      visit(property, [...at, name], (body) =>
        partsOf(body).flatMap((part) => (isRecord(part) && name in part ? [part[name]] : [])),
      )
    }
    if (items) {
      const membersOf = (body: unknown) => partsOf(body).flatMap((part) => (Array.isArray(part) ? part : []))
      visit(items, [...at, '0'], membersOf)
    }
  }
  add([], '', (body) => !isRecord(body))
  visit(schemaOf(operation), [], (body) => [body])
  return [...rules.values()]
}

/**
 * Converts a bigint, which validators do not support, to a number. A value beyond int64 becomes 2^64, which rounding keeps beyond int64.
 */
function toNumber(value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return BigInt.asIntN(64, value) === value ? Number(value) : 2 ** 64
}

/** Executes a request with a body that breaks a rule as if the body were valid. With `isRefused`, the request is refused afterwards. */
function guessing(operation: StatedOperation, end: string, isRefused = false): Behaviour {
  const { properties = {} } = schemaOf(operation)
  const rules = rulesOf(operation)
  return onOperations([operation.name], ({ state }) => async (received, stated, next) => {
    const call = keepBody(received)
    const body = await jsonBody(call)
    const broken = rules.filter(({ isBroken }) => isBroken(body))
    if (broken[0]?.end !== end) return next(call, stated)
    const item = itemOf(state.resources.all, operation, parametersOf(operation, call))
    const fill = (isKept: (name: string, value: unknown) => boolean) =>
      Object.entries(properties).map(([name, property]) => {
        const value = isRecord(body) ? body[name] : undefined
        return [name, isKept(name, value) ? value : guess(operation, name, property, item)] as const
      })
    const sameFields = fill((name, value) => value !== undefined && !broken.some(({ property }) => property === name))
    // A pattern may allow only the present value. Then another field must change.
    const isChange = sameFields.some(([name, value]) => stringifyJson(value) !== stringifyJson(item?.[name]))
    const guessed = isChange ? sameFields : fill(() => false)
    const response = await next(withBody(call, Object.fromEntries(guessed)), stated)
    return isRefused ? next(call, stated) : response
  })
}

/** Returns a valid value of a field that differs from that of the item; for a removal, the first value of the list. */
function guess(operation: StatedOperation, name: string, stated: Schema, item: Item | undefined): unknown {
  const { action, interface: of } = operation
  const [first] = action.kind === 'remove' ? [item?.[action.field]].flat() : []
  if (typeof first === 'string') return first
  return otherValue(of, stated, item?.[name])
}

function tighter(operation: Operation, name: string, property: Schema, keyword: string): ServerUnderTest {
  const end = `${kebabCase(name)}-${constraints[keyword] ?? kebabCase(keyword)}`
  return mutant(
    `request-body.${operation.name}.${kebabCase(name)}-${kebabCase(keyword)}-tighter`,
    [requirementIdOf(operation, end)],
    alterOperation([operation.name], (stated) => {
      const schema = schemaOf(stated)
      const content = { 'application/json': { ...schema, properties: { ...schema.properties, [name]: property } } }
      return { ...stated, requestBody: { required: true, content } }
    }),
  )
}

/** Mutants that omit one required property of a success body. If no property is required, the body is invalid JSON instead. */
export const responseBodyMutants: readonly ServerUnderTest[] = operations.flatMap((operation) => {
  // If the contract lists several successes, a plain request gets the first.
  const success = operation.responses.find(({ status }) => status.startsWith('2'))
  const schema = success?.content['application/json']
  if (!success || !schema) return []
  const status = Number(success.status)
  const { required = [] } = schema
  const make = (kind: string, change: (text: string) => string) =>
    mutant(
      `body.${operation.name}.${kind}`,
      [requirementIdOf(operation, 'body')],
      alterResponse([operation.name], (response) => editText(response, status, change)),
    )
  if (required.length === 0) return [make('no-json', (text) => `<html>${text}`)]
  return required.map((property) =>
    make(`${kebabCase(property)}-dropped`, (text) => JSON.stringify({ ...JSON.parse(text), [property]: undefined })),
  )
})
