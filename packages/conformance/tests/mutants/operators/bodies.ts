import {
  isStated,
  itemOf,
  type ModelState,
  type Operation,
  route,
  type Schema,
  type StatedOperation,
  sampleOf,
} from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { alterOperation, alterResponse, bodyOf, editJson, editText, keepBody, withBody, withStatus } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerMutant } from '../mutant.ts'
import { requirementIdOf, specOperations, toSlug } from '../requirements.ts'

const written = specOperations
  .filter(isStated)
  .filter(({ requestBody }) => requestBody?.content['application/json'] !== undefined)

/** Mutants for each rule of a request body: the rule is not enforced, enforced too late, or off by one. */
export const requestBodyMutants: readonly ServerMutant[] = written.flatMap((operation) => {
  const schema = schemaOf(operation)
  const properties = Object.entries(schema.properties ?? {})
  return [
    ...rulesOf(schema).flatMap(({ slug }) => [notEnforced(operation, slug), enforcedTooLate(operation, slug)]),
    ...properties.flatMap(([name, { minLength }]) =>
      typeof minLength === 'number' ? [longerMinimum(operation, name, minLength)] : [],
    ),
  ]
})

function schemaOf({ requestBody }: Operation): Schema {
  return defined(requestBody?.content['application/json'])
}

/** A rule of a body, with the end of the id of its requirement. */
interface BodyRule {
  readonly slug: string
  isBroken(body: unknown): boolean
}

/** The rules of an object with texts. Of a body that breaks several, the first one counts. */
function rulesOf({ properties = {}, required = [] }: Schema): BodyRule[] {
  const ofProperty = ([name, { type, minLength = 0, enum: values }]: [string, Schema]): BodyRule[] => {
    const rule = (aspect: string, isBroken: (value: unknown) => boolean): BodyRule => ({
      slug: `${toSlug(name)}-${aspect}`,
      isBroken: (body) => isRecord(body) && isBroken(body[name]),
    })
    return [
      ...(required.includes(name) ? [rule('required', (value) => value === undefined)] : []),
      ...(type === 'string' ? [rule('type', (value) => value !== undefined && typeof value !== 'string')] : []),
      ...(minLength > 0 ? [rule('length', (value) => typeof value === 'string' && value.length < minLength)] : []),
      ...(values ? [rule('enum', (value) => typeof value === 'string' && !values.includes(value))] : []),
    ]
  }
  const object = { slug: 'request-object', isBroken: (body: unknown) => !isRecord(body) }
  return [object, ...Object.entries(properties).flatMap(ofProperty)]
}

/** Handles an invalid body like a valid one with an existing or a new text. */
function guessing(operation: StatedOperation, slug: string, status?: number): Behaviour {
  const schema = schemaOf(operation)
  const rules = rulesOf(schema)
  return on([operation.name], ({ state }) => async (received, stated, next) => {
    const call = keepBody(received)
    const body = await bodyOf(call)
    if (rules.find(({ isBroken }) => isBroken(body))?.slug !== slug) return next(call, stated)
    const text = firstValue(operation, call.path, state.resources.all) ?? 'guessed'
    const style = { host: 'guessed.invalid', now: new Date(), text: () => text }
    const guessed = Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const value = isRecord(body) ? body[name] : undefined
      const isWrong = rules.some(({ slug: of, isBroken }) => of.startsWith(`${toSlug(name)}-`) && isBroken(body))
      return [name, isWrong || value === undefined ? sampleOf(property, (each) => each, style) : value] as const
    })
    const response = await next(withBody(call, Object.fromEntries(guessed)), stated)
    return status === undefined ? response : withStatus(response, status)
  })
}

/** The first value of the list that a request removes from. */
function firstValue(operation: StatedOperation, path: string, state: ModelState): string | undefined {
  const match = route(operation.interface, operation.method.toUpperCase(), path)
  if (operation.action.kind !== 'remove' || !match || !('operation' in match)) return undefined
  const [first] = [itemOf(state, operation, match.parameters)?.[operation.action.field]].flat()
  return typeof first === 'string' ? first : undefined
}

function notEnforced(operation: StatedOperation, slug: string): ServerMutant {
  return mutant(
    `request-body.${operation.name}.${slug}-not-enforced`,
    `${operation.name} accepts a body that breaks ${slug}.`,
    [requirementIdOf(operation, slug), requirementIdOf(operation, '400')],
    guessing(operation, slug),
  )
}

function enforcedTooLate(operation: StatedOperation, slug: string): ServerMutant {
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
    alterResponse([operation.name], (response) => editJson(response, status, ({ [property]: _, ...others }) => others)),
  )
}

function noJson(operation: Operation, status: number): ServerMutant {
  return mutant(
    `body.${operation.name}.no-json`,
    `The body of ${operation.name} is not JSON.`,
    [requirementIdOf(operation, 'body')],
    alterResponse([operation.name], (response) => editText(response, status, (text) => `<html>${text}`)),
  )
}
