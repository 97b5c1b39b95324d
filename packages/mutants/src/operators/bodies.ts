import { isStated, type Operation } from '@cdn/api/contract'
import { requirementIdOf, specOperations, toSlug } from '@cdn/conformance/testing'
import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { alterAnswer, alterOperation, bodyOf, editJson, editText, keepBody, withBody, withStatus } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerMutant } from '../mutant.ts'

const written = specOperations.filter(
  (operation) => isStated(operation) && operation.requestBody?.content['application/json'],
)

/** The rules of a body with a hostname, as the ends of the ids of their requirements. */
const brokenRules = ['request-object', 'hostname-type', 'hostname-length', 'hostname-required'] as const

/** Mutants for each rule of a request body: the rule is not enforced, enforced too late, or off by one. */
export const requestBodyMutants: readonly ServerMutant[] = written.flatMap((operation) => {
  const schema = defined(operation.requestBody?.content['application/json'])
  const properties = Object.entries(schema.properties ?? {})
  return [
    ...brokenRules.flatMap((slug) => [notEnforced(operation, slug), enforcedTooLate(operation, slug)]),
    ...properties.flatMap(([name, { minLength }]) =>
      typeof minLength === 'number' ? [longerMinimum(operation, name, minLength)] : [],
    ),
  ]
})

/** Returns the rule that a body breaks. */
function brokenRule(body: unknown): (typeof brokenRules)[number] | undefined {
  if (!isRecord(body)) return 'request-object'
  const { Hostname } = body
  if (Hostname === undefined) return 'hostname-required'
  if (typeof Hostname !== 'string') return 'hostname-type'
  return Hostname === '' ? 'hostname-length' : undefined
}

/** Handles an invalid body like a valid one with an existing or a new hostname. */
function guessing(operation: Operation, slug: string, status?: number): Behaviour {
  return on([operation.name], ({ state, fixtures }) => async (received, stated, next) => {
    const call = keepBody(received)
    if (brokenRule(await bodyOf(call)) !== slug) return next(call, stated)
    const zone = defined(state.resources.item('/pullzone', fixtures.zoneId))
    const [present = 'guessed'] = zone['AllowedReferrers'] as readonly string[]
    const Hostname = operation.name === 'add-allowed-referrer' ? 'guessed' : present
    const answer = await next(withBody(call, { Hostname }), stated)
    return status === undefined ? answer : withStatus(answer, status)
  })
}

function notEnforced(operation: Operation, slug: string): ServerMutant {
  return mutant(
    `request-body.${operation.name}.${slug}-not-enforced`,
    `${operation.name} accepts a body that breaks ${slug}.`,
    [requirementIdOf(operation, slug), requirementIdOf(operation, '400')],
    guessing(operation, slug),
  )
}

function enforcedTooLate(operation: Operation, slug: string): ServerMutant {
  return mutant(
    `request-body.${operation.name}.${slug}-too-late`,
    `${operation.name} refuses a body that breaks ${slug} after having acted on it.`,
    [requirementIdOf(operation, slug)],
    guessing(operation, slug, 400),
  )
}

function longerMinimum(operation: Operation, name: string, minLength: number): ServerMutant {
  return mutant(
    `request-body.${operation.name}.${toSlug(name)}-minimum-plus-1`,
    `${operation.name} refuses a ${name} of ${minLength}.`,
    [requirementIdOf(operation, `${toSlug(name)}-length`)],
    alterOperation([operation.name], (stated) => {
      const schema = defined(stated.requestBody?.content['application/json'])
      const longer = { ...schema.properties, [name]: { ...schema.properties?.[name], minLength: minLength + 1 } }
      const content = { 'application/json': { ...schema, properties: longer } }
      return { ...stated, requestBody: { required: true, content } }
    }),
  )
}

/** Mutants that omit one required property of a success body. If the body has no properties, it is invalid JSON instead. */
export const responseBodyMutants: readonly ServerMutant[] = specOperations.flatMap((operation) => {
  // If the contract lists several successes, a plain request gets the first.
  const success = operation.responses.find(({ status }) => status.startsWith('2'))
  const schema = success?.content['application/json']
  if (!success || !schema) return []
  const status = Number(success.status)
  const { required = [] } = schema
  return required.length > 0
    ? required.map((property) => dropped(operation, status, property))
    : [noJson(operation, status)]
})

function dropped(operation: Operation, status: number, property: string): ServerMutant {
  return mutant(
    `body.${operation.name}.${toSlug(property)}-dropped`,
    `The body of ${operation.name} has no ${property}.`,
    [requirementIdOf(operation, 'body')],
    alterAnswer([operation.name], (answer) => editJson(answer, status, ({ [property]: _, ...others }) => others)),
  )
}

function noJson(operation: Operation, status: number): ServerMutant {
  return mutant(
    `body.${operation.name}.no-json`,
    `The body of ${operation.name} is not JSON.`,
    [requirementIdOf(operation, 'body')],
    alterAnswer([operation.name], (answer) => editText(answer, status, (text) => `<html>${text}`)),
  )
}
