import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Json, listOf } from './json.ts'
import { type ForeignOperation, titleOf } from './operations.ts'
import { jsonPathQuote, targetOf } from './review.ts'

/** Our contract and the foreign one, each with the schemas that its operations refer to. */
export interface Both {
  readonly ours: Json
  readonly theirs: Json
}

/** The additions to an operation, and the contradictions between the two contracts. */
export interface Gain {
  /** Target and value of updates. */
  readonly updates: readonly (readonly [target: string, value: unknown])[]
  /** One clause per contradiction. */
  readonly contradictions: readonly string[]
}

/**
 * Adds what the foreign contract states and ours does not: query and header parameters, responses, fields. It never changes
 * scopes, and it never adds a request body to an operation that has none.
 */
export function enrich(both: Both, own: ForeignOperation, their: ForeignOperation): Gain {
  const updates: [string, unknown][] = []
  const contradictions: string[] = []
  const target = targetOf(own)
  const merge = mergerOf(both, updates, (where, here, there) =>
    contradictions.push(`${titleOf(own)} ${where} is ${here} here and ${there} there`),
  )
  const mergeContent = contentMergerOf(merge, updates)
  const parameters = (operation: Json, api: Json) =>
    new Map(
      listOf(operation['parameters'])
        .map((node) => toRecord(followReference(api, node)))
        .map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter]),
    )
  const ownParameters = parameters(own.operation, both.ours)
  const added: Json[] = []
  for (const [key, parameter] of parameters(their.operation, both.theirs)) {
    const known = ownParameters.get(key)
    if (known) {
      const at = `${target}.parameters[?(@.name == ${jsonPathQuote(String(parameter['name']))})].schema`
      merge(at, known['schema'], parameter['schema'], `parameter ${parameter['name']}`)
    } else if (parameter['in'] !== 'path') added.push(parameter)
  }
  if (added.length > 0) updates.push([target, { parameters: added }])
  const responses = (operation: Json, api: Json) =>
    Object.entries(toRecord(operation['responses'])).map(([status, node]): [string, Json] => [
      status,
      toRecord(followReference(api, node)),
    ])
  const ownResponses = new Map(responses(own.operation, both.ours))
  const statesCodes = [...ownResponses.values()].some((response) => response['x-error-code'] !== undefined)
  const successes = [...ownResponses.keys()].filter((status) => status.startsWith('2'))
  for (const [status, response] of responses(their.operation, both.theirs)) {
    const known = ownResponses.get(status)
    const at = `${target}.responses[${jsonPathQuote(status)}]`
    if (known) mergeContent(known, response, at, status)
    else if (status.startsWith('2') && successes.length > 0)
      contradictions.push(`${titleOf(own)} succeeds with ${successes.join(', ')} here and with ${status} there`)
    else if (status !== 'default' && !statesCodes) updates.push([`${target}.responses`, { [status]: response }])
  }
  const [ownBody, theirBody] = [own.operation['requestBody'], their.operation['requestBody']]
  if (ownBody && theirBody) {
    const body = (node: unknown, api: Json) => toRecord(followReference(api, node))
    mergeContent(body(ownBody, both.ours), body(theirBody, both.theirs), `${target}.requestBody`, 'body')
  } else if (theirBody) contradictions.push(`${titleOf(own)} takes no body here and one there`)
  return { updates, contradictions }
}

type Merge = (target: string, ours: unknown, theirs: unknown, where: string) => void

/** Merges a response or a request body: adds a missing body, otherwise merges the schemas of its media types. */
function contentMergerOf(merge: Merge, updates: [string, unknown][]) {
  return (own: Json, their: Json, target: string, where: string): void => {
    const theirContent = toRecord(their['content'])
    if (own['content'] === undefined) {
      if (Object.keys(theirContent).length > 0 && where !== '204') updates.push([target, { content: theirContent }])
      return
    }
    for (const [type, media] of Object.entries(toRecord(own['content']))) {
      const schema = toRecord(theirContent[type])['schema']
      if (schema !== undefined)
        merge(`${target}.content[${jsonPathQuote(type)}].schema`, toRecord(media)['schema'], schema, `${where} body`)
    }
  }
}

/** Creates a function that merges schemas. It adds missing fields, and a type if our schema states no type. */
function mergerOf(
  both: Both,
  updates: [string, unknown][],
  contradict: (where: string, here: string, there: string) => void,
): Merge {
  const merged = new Set<string>()
  const merge: Merge = (target, ownNode, theirNode, where) => {
    const reference = toRecord(ownNode)['$ref']
    const our = toRecord(followReference(both.ours, ownNode))
    const their = flatten(both.theirs, theirNode)
    const at =
      typeof reference === 'string'
        ? `$.components.schemas[${jsonPathQuote(defined(reference.split('/').at(-1)))}]`
        : target
    if (merged.has(at)) return
    merged.add(at)
    if (Object.keys(our).every((key) => key === 'description')) {
      if (isRecord(theirNode) && Object.keys(theirNode).length > 0) updates.push([at, theirNode])
      return
    }
    const [here, there] = [our, their].map(typesOf)
    if (here && there && !here.some((type) => there.includes(type)))
      return contradict(where, here.join(' or '), there.join(' or '))
    const [ownFields, theirFields] = [toRecord(our['properties']), toRecord(their['properties'])]
    const gained: [string, unknown][] = []
    for (const [name, field] of Object.entries(theirFields)) {
      if (Object.hasOwn(ownFields, name))
        merge(`${at}.properties[${jsonPathQuote(name)}]`, ownFields[name], field, `${where} field ${name}`)
      else gained.push([name, field])
    }
    if (gained.length > 0 && our['additionalProperties'] !== false)
      updates.push([at, { properties: Object.fromEntries(gained) }])
    if (isRecord(our['items']) && their['items'] !== undefined)
      merge(`${at}.items`, our['items'], their['items'], `${where} items`)
  }
  return merge
}

/** Returns the types of a schema without null; undefined if the schema states no type. An integer counts as a number. */
function typesOf(schema: Json): string[] | undefined {
  const types = [schema['type'] ?? []].flat().map(String)
  const plain = types.filter((type) => type !== 'null').map((type) => (type === 'integer' ? 'number' : type))
  return plain.length > 0 ? plain : undefined
}

/** Returns a schema that has the fields of all its parts. The alternative null is dropped. */
function flatten(api: Json, node: unknown): Json {
  const schema = toRecord(followReference(api, node))
  const alternatives = listOf(schema['anyOf']).filter((one) => toRecord(one)['type'] !== 'null')
  const parts = [...listOf(schema['allOf']), ...(alternatives.length === 1 ? alternatives : [])]
  const all = [...parts.map((part) => flatten(api, part)), schema]
  const properties = all.map((one) => toRecord(one['properties']))
  return Object.assign({}, ...all, { properties: Object.assign({}, ...properties) })
}
