import { type Operation, operations, type Schema } from '@cdn/api/contract'
import { requirementIdOf, toSlug } from '../../laws/law.ts'
import { brokenBodies } from '../../laws/request-body.ts'
import { writes } from '../../writes.ts'
import {
  alterAnswer,
  alterOperation,
  bodyOf,
  editJson,
  editText,
  type Json,
  keepBody,
  withBody,
  withStatus,
} from '../alter.ts'
import { type Behaviour, type Mutant, mutant, on } from '../mutant.ts'

const written = operations.filter(({ name, requestBody }) => writes[name] && requestBody?.content['application/json'])

/** Each rule of a request body not enforced, enforced too late, or off by one. */
export const requestBodyMutants: readonly Mutant[] = written.flatMap((operation) => {
  const schema = operation.requestBody?.content['application/json'] ?? {}
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  return [
    ...brokenBodies(schema, undefined).flatMap(({ slug }) => [
      notEnforced(operation, slug),
      enforcedTooLate(operation, slug),
    ]),
    ...properties.flatMap(([name, { minLength }]) =>
      typeof minLength === 'number' ? [longerMinimum(operation, name, minLength)] : [],
    ),
  ]
})

/** Which rule a body breaks, by the slug of `brokenBodies`. */
function brokenRule(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'request-object'
  const { Hostname } = body as Json
  if (Hostname === undefined) return 'hostname-required'
  if (typeof Hostname !== 'string') return 'hostname-type'
  return Hostname === '' ? 'hostname-length' : undefined
}

/** A body that breaks the rule is taken for one with some hostname: one that is there already, or a new one. */
function guessing(operation: Operation, slug: string, status?: number): Behaviour {
  return on([operation.name], ({ state, fixtures }) => async (received, stated, next) => {
    const call = keepBody(received)
    if (brokenRule(await bodyOf(call)) !== slug) return next(call, stated)
    const [present = 'guessed'] = state.zones.get(fixtures.zoneId)?.allowedReferrers ?? []
    const Hostname = operation.name === 'add-allowed-referrer' ? 'guessed' : present
    const answer = await next(withBody(call, { Hostname }), stated)
    return status === undefined ? answer : withStatus(answer, status)
  })
}

function notEnforced(operation: Operation, slug: string): Mutant {
  return mutant(
    `request-body.${operation.name}.${slug}-not-enforced`,
    `${operation.name} accepts a body that breaks ${slug}.`,
    [requirementIdOf(operation, slug), requirementIdOf(operation, '400')],
    guessing(operation, slug),
  )
}

function enforcedTooLate(operation: Operation, slug: string): Mutant {
  return mutant(
    `request-body.${operation.name}.${slug}-too-late`,
    `${operation.name} refuses a body that breaks ${slug} after having acted on it.`,
    [requirementIdOf(operation, slug)],
    guessing(operation, slug, 400),
  )
}

function longerMinimum(operation: Operation, name: string, minLength: number): Mutant {
  return mutant(
    `request-body.${operation.name}.${toSlug(name)}-minimum-plus-1`,
    `${operation.name} refuses a ${name} of ${minLength}.`,
    [requirementIdOf(operation, `${toSlug(name)}-length`)],
    alterOperation([operation.name], (stated) => {
      const schema = stated.requestBody?.content['application/json'] ?? {}
      const properties = schema['properties'] as Record<string, Schema>
      const longer = { ...properties, [name]: { ...properties[name], minLength: minLength + 1 } }
      const content = { 'application/json': { ...schema, properties: longer } }
      return { ...stated, requestBody: { required: true, content } }
    }),
  )
}

/** Each required property of a success body left out; a body without one is no JSON. */
export const responseBodyMutants: readonly Mutant[] = operations.flatMap((operation) => {
  // Of several successes the first is what a plain request earns.
  const success = operation.responses.find(({ status }) => status.startsWith('2'))
  const schema = success?.content['application/json']
  if (!success || !schema) return []
  const status = Number(success.status)
  const required = (schema['required'] ?? []) as readonly string[]
  return required.length > 0
    ? required.map((property) => dropped(operation, status, property))
    : [noJson(operation, status)]
})

function dropped(operation: Operation, status: number, property: string): Mutant {
  return mutant(
    `body.${operation.name}.${toSlug(property)}-dropped`,
    `The body of ${operation.name} has no ${property}.`,
    [requirementIdOf(operation, 'body')],
    alterAnswer([operation.name], (answer) => editJson(answer, status, ({ [property]: _, ...others }) => others)),
  )
}

function noJson(operation: Operation, status: number): Mutant {
  return mutant(
    `body.${operation.name}.no-json`,
    `The body of ${operation.name} is no JSON.`,
    [requirementIdOf(operation, 'body')],
    alterAnswer([operation.name], (answer) => editText(answer, status, (text) => `<html>${text}`)),
  )
}
