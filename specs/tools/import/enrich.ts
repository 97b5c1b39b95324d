import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Json, listOf } from './json.ts'
import { type ForeignOperation, parametersOf, titleOf } from './operations.ts'
import { jsonPathQuote, targetOf } from './review.ts'

/**
 * Adds what the foreign contract states and ours does not: query and header parameters, responses, fields. It never changes
 * scopes, and it never adds a request body to an operation that has none.
 *
 * @param ours our contract, with the schemas that its operations refer to
 * @param own an operation of it
 * @param theirs the foreign contract
 * @param their the same operation of it
 * @returns targets and values of updates, and one clause per contradiction
 */
export function enrich(ours: Json, own: ForeignOperation, theirs: Json, their: ForeignOperation) {
  const updates: [string, unknown][] = []
  const contradictions: string[] = []
  const merged = new Set<string>()
  const target = targetOf(own)

  /** Merges schemas: adds missing fields, and a type if our schema states no type. */
  const merge = (place: string, ownNode: unknown, theirNode: unknown, where: string): void => {
    const reference = toRecord(ownNode)['$ref']
    const name = typeof reference === 'string' ? defined(reference.split('/').at(-1)) : undefined
    const at = name === undefined ? place : `$.components.schemas[${jsonPathQuote(name)}]`
    if (merged.has(at)) return
    merged.add(at)
    const our = toRecord(followReference(ours, ownNode))
    const foreign = flatten(theirs, theirNode)
    if (Object.keys(our).every((key) => key === 'description')) {
      if (isRecord(theirNode) && Object.keys(theirNode).length > 0) updates.push([at, theirNode])
      return
    }
    const [here, there] = [our, foreign].map(typesOf)
    if (here && there && !here.some((type) => there.includes(type))) {
      contradictions.push(`${titleOf(own)} ${where} is ${here.join(' or ')} here and ${there.join(' or ')} there`)
      return
    }
    const fields = toRecord(our['properties'])
    const gained: [string, unknown][] = []
    for (const [field, schema] of Object.entries(toRecord(foreign['properties']))) {
      if (Object.hasOwn(fields, field))
        merge(`${at}.properties[${jsonPathQuote(field)}]`, fields[field], schema, `${where} field ${field}`)
      else gained.push([field, schema])
    }
    if (gained.length > 0 && our['additionalProperties'] !== false)
      updates.push([at, { properties: Object.fromEntries(gained) }])
    if (isRecord(our['items']) && foreign['items'] !== undefined)
      merge(`${at}.items`, our['items'], foreign['items'], `${where} items`)
  }

  /** Merges a response or a request body: adds a missing body, otherwise merges the schemas of its media types. */
  const mergeContent = (our: Json, foreign: Json, at: string, where: string): void => {
    const content = toRecord(foreign['content'])
    if (our['content'] === undefined && Object.keys(content).length > 0 && where !== '204')
      updates.push([at, { content }])
    for (const [type, media] of Object.entries(toRecord(our['content']))) {
      const { schema } = toRecord(content[type])
      if (schema !== undefined)
        merge(`${at}.content[${jsonPathQuote(type)}].schema`, toRecord(media)['schema'], schema, `${where} body`)
    }
  }

  const ownParameters = parametersOf(ours, own)
  const added: Json[] = []
  for (const [key, parameter] of parametersOf(theirs, their)) {
    const known = ownParameters.get(key)
    const at = `${target}.parameters[?(@.name == ${jsonPathQuote(String(parameter['name']))})].schema`
    if (known) merge(at, known['schema'], parameter['schema'], `parameter ${parameter['name']}`)
    else if (parameter['in'] !== 'path') added.push(parameter)
  }
  if (added.length > 0) updates.push([target, { parameters: added }])

  const ownResponses = new Map(responsesOf(ours, own))
  const statesCodes = [...ownResponses.values()].some((response) => response['x-error-code'] !== undefined)
  const successes = [...ownResponses.keys()].filter((status) => status.startsWith('2'))
  for (const [status, response] of responsesOf(theirs, their)) {
    const known = ownResponses.get(status)
    if (known) mergeContent(known, response, `${target}.responses[${jsonPathQuote(status)}]`, status)
    else if (status.startsWith('2') && successes.length > 0)
      contradictions.push(`${titleOf(own)} succeeds with ${successes.join(', ')} here and with ${status} there`)
    else if (status !== 'default' && !statesCodes) updates.push([`${target}.responses`, { [status]: response }])
  }

  const [ownBody, theirBody] = [own.operation['requestBody'], their.operation['requestBody']]
  const body = (api: Json, node: unknown) => toRecord(followReference(api, node))
  if (ownBody && theirBody) mergeContent(body(ours, ownBody), body(theirs, theirBody), `${target}.requestBody`, 'body')
  else if (theirBody) contradictions.push(`${titleOf(own)} takes no body here and one there`)
  return { updates, contradictions }
}

function responsesOf(api: Json, { operation }: ForeignOperation): [status: string, response: Json][] {
  const responses = Object.entries(toRecord(operation['responses']))
  return responses.map(([status, node]) => [status, toRecord(followReference(api, node))])
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
