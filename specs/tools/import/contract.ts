import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { withProposals } from './changes.ts'
import { type ComponentReader, createComponentReader } from './components.ts'
import { effectOf } from './effects.ts'
import { closedSchemas, endlessSchema, faultsOf } from './faults.ts'
import { type Json, listOf, mapValues } from './json.ts'
import { operationNames, type Unnamed } from './names.ts'
import {
  componentsOf,
  type ForeignOperation,
  operationKey,
  operationsOf,
  parametersOf,
  pathsOf,
  templateNames,
  titleOf,
} from './operations.ts'
import { credentialsOf, type ForeignCredentials, securityOf, withOurSchemes } from './security.ts'
import { chooseServer } from './server.ts'

/** Options of an import. */
export interface ImportOptions {
  /** Name of the interface. If the contract is imported into an interface of the spec, it is the name of the contract. */
  readonly name: string
  /** Origin and certainty, for `x-source`. */
  readonly source: string
  /** Replaces all servers of the contract. */
  readonly server?: string | undefined
  /** The credential of operations that state none: a scheme of the contract, or `none`. */
  readonly credential?: string | undefined
  /** Names from an earlier import, by `operationKey`. The operations with these keys keep their names. */
  readonly names: ReadonlyMap<string, string>
  /** Prefix for the names of schemas. */
  readonly namespace: string
  /** Our contract, if it is extended. Its areas and schemes keep their names. */
  readonly ours?: Json | undefined
}

/** A converted contract, with notes about the parts that were not converted. */
export interface Imported {
  readonly contract: Json
  /** One sentence for everything that was changed or not imported. */
  readonly notes: readonly string[]
}

interface Work {
  readonly foreign: Json
  readonly ours: Json | undefined
  readonly reader: ComponentReader
  readonly credentials: ForeignCredentials
  /** `security` of the operations that state none. */
  readonly security: unknown
  /** The operation ids so far. */
  readonly ids: Set<unknown>
  /** Clauses such as "have callbacks", each with an operation that it applies to. */
  readonly lost: { readonly what: string; readonly title: string }[]
}

/**
 * Converts a foreign contract.
 *
 * @param foreign OpenAPI 3.0 or 3.1, in one document
 * @throws RangeError if the contract cannot be imported; the message is a clause without the name of the file
 */
export function importContract(foreign: Json, options: ImportOptions): Imported {
  const [fault, ...more] = faultsOf(foreign)
  if (fault !== undefined) throw new RangeError(more.length > 0 ? `${fault}, and ${more.length} more faults` : fault)
  const all = operationsOf(foreign)
  const parameters = all.flatMap((one) => [...parametersOf(foreign, one).values()])
  const headers = parameters.filter((parameter) => parameter['in'] === 'header').map(({ name }) => String(name))
  const credentials = credentialsOf(foreign, options.name, new Set(headers))
  const reader = createComponentReader(foreign, options.namespace)
  const rule = defaultSecurity(foreign, all, credentials.schemes, options.credential)
  const { ours } = options
  const work: Work = { foreign, ours, reader, credentials, security: rule.security, ids: new Set(), lost: [] }
  const { url, elsewhere } = chooseServer(foreign, all, options.server)
  const fate = options.server === undefined ? 'so they are left out' : 'which --server replaces'
  for (const one of elsewhere) note(work, `have a server of their own, ${fate}`, one)
  const operations = options.server === undefined ? all.filter((one) => !elsewhere.includes(one)) : all
  const unnamed = withAreas(operations, foreign, ours)
  const names = operationNames(unnamed, options.names)
  const converted = unnamed.map((one) => ({
    ...one,
    item: {},
    operation: convertOperation(one, work, defined(names.get(operationKey(one)))),
  }))
  const schemas = reader.schemas()
  const endless = endlessSchema(schemas)
  if (endless !== undefined) throw new RangeError(`the schema ${endless} contains itself`)
  const { title, version, description } = toRecord(foreign['info'])
  const contract = {
    openapi: '3.1.0',
    info: {
      title: String(title),
      version: String(version),
      ...(typeof description === 'string' && { description }),
    },
    'x-source': options.source,
    ...(rule.notes.length > 0 && { 'x-assumed': ['security'] }),
    servers: [{ url }],
    tags: [...new Set(unnamed.map(({ area }) => area))].map((name) => ({ name })),
    paths: pathsOf(converted),
    components: { schemas, securitySchemes: credentials.schemes },
  }
  const notes = [
    ...rule.notes,
    ...credentials.notes,
    ...sentences(work.lost),
    ...reader.notes,
    ...closedNotes(schemas),
    ...rootNotes(foreign, options.server === undefined ? url : undefined),
  ]
  return { contract: withProposals(contract), notes }
}

function convertOperation(one: Unnamed, work: Work, name: string): Json {
  const { operation, area } = one
  const { tags, operationId, summary, description, deprecated, requestBody, callbacks } = operation
  if (isRecord(callbacks)) note(work, 'have callbacks, which are not imported', one)
  // `fetch` refuses such a body, and HTTP gives it no meaning (RFC 9110, 9.3.1).
  const isLost = requestBody !== undefined && /^(get|head)$/.test(one.method)
  if (isLost) note(work, 'are GET or HEAD requests with a body, which is not imported', one)
  if (listOf(tags).length > 1) note(work, 'have several tags and belong to the first', one)
  const { parameters, credential } = ownParameters(one, work)
  const stated = operation['security'] ?? work.security ?? (credential ? [{ [credential]: [] }] : [])
  const { security, scopes, lost } = securityOf(stated, work.credentials.schemes)
  if (lost) note(work, lost, one)
  const ourSchemes = work.ours && componentsOf(work.ours, 'securitySchemes')
  const requirement = ourSchemes ? withOurSchemes(security, work.credentials.schemes, ourSchemes) : security
  const isNamed = typeof operationId === 'string' && !work.ids.has(operationId)
  if (operationId !== undefined && !isNamed) note(work, 'lose their operationId, which another operation has', one)
  work.ids.add(operationId)
  const responses = ownResponses(operation['responses'], work.reader)
  const effect = operation['x-effect'] ?? effectOf(one, responses)
  const text = typeof summary === 'string' && summary.trim() !== '' ? summary.trim() : titleOf(one)
  return {
    tags: [area],
    ...(isNamed && { operationId }),
    summary: text,
    description: typeof description === 'string' && description.trim() !== '' ? description : text,
    ...(deprecated === true && { deprecated }),
    'x-name': name,
    'x-effect': effect,
    ...(operation['x-effect'] === undefined && { 'x-assumed': ['x-effect'] }),
    ...(scopes.length > 0 && { 'x-scopes': scopes }),
    ...(requirement && { security: requirement }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && !isLost && { requestBody: work.reader.part(requestBody) }),
    responses,
  }
}

/** Returns the parameters that can be sent. A header that carries a credential becomes a security scheme instead. */
function ownParameters(one: ForeignOperation, work: Work) {
  let credential: string | undefined
  const names = templateNames(one.path)
  const parameters = [...parametersOf(work.foreign, one).values()].filter(({ in: place, name }) => {
    const header = place === 'header' ? String(name).toLowerCase() : ''
    const scheme = work.credentials.byHeader.get(header)
    if (scheme !== undefined) {
      credential = scheme
      note(work, `state the credential ${name} as a header; it becomes their credential`, one)
    }
    if (place === 'cookie') note(work, 'have parameters in a cookie, which are not imported', one)
    const isImplied = ['accept', 'content-type'].includes(header)
    const isUnplaced = place === 'path' && !names.includes(String(name))
    if (isUnplaced) note(work, `declare the path parameter {${name}}, which their path does not have`, one)
    return scheme === undefined && place !== 'cookie' && !isImplied && !isUnplaced
  })
  // Callers state path parameters in the order of the path: `ZONE-ID ID` for `/{zoneId}/{id}`.
  const isPath = (parameter: Json) => parameter['in'] === 'path'
  const place = (parameter: Json) => (isPath(parameter) ? names.indexOf(String(parameter['name'])) : names.length)
  const inOrder = parameters.toSorted((a, b) => place(a) - place(b)).map((one) => toRecord(work.reader.part(one)))
  return { parameters: inOrder.map((one) => (isPath(one) ? { ...one, required: true } : one)), credential }
}

/** Adds a description to each response. If the operation has no response, adds one. */
function ownResponses(responses: unknown, reader: ComponentReader): Json {
  const described = mapValues(toRecord(responses), (response, status) => ({
    description: `Answered ${status}.`,
    ...toRecord(reader.part(response)),
  }))
  const stated = Object.entries(described).filter(([status]) => /^([1-5](\d\d|xx)|default)$/i.test(status))
  if (stated.length === 0) return { default: { description: 'The contract does not state the responses.' } }
  return Object.fromEntries(stated.map(([status, response]) => [status.replace(/xx$/i, 'XX'), response]))
}

/** Adds the area of each operation: its first tag. Tags that differ only in spelling, also from ours, are the same area. */
function withAreas(operations: readonly ForeignOperation[], foreign: Json, ours: Json | undefined): Unnamed[] {
  const title = String(toRecord(foreign['info'])['title'])
  const fallback = kebabCase(title) === '' ? 'Operations' : title
  const keyOf = (tag: string) => kebabCase(tag).replaceAll('-', '')
  const known = listOf(ours?.['tags']).map((tag) => String(toRecord(tag)['name']))
  const byKey = new Map(known.map((name) => [keyOf(name), name]))
  return operations.map((one) => {
    const tag = String(listOf(one.operation['tags'])[0] ?? fallback)
    const key = keyOf(tag)
    const area = byKey.get(key) ?? (key === '' ? fallback : tag)
    byKey.set(key, area)
    return { ...one, area }
  })
}

function note({ lost }: Work, what: string, one: ForeignOperation): void {
  lost.push({ what, title: titleOf(one) })
}

/** Maximum number of operations that a note names. The note counts the other operations. */
const maxNamed = 3

function sentences(lost: Work['lost']): string[] {
  return [...Map.groupBy(lost, ({ what }) => what)].map(([what, all]) => {
    const named = all.slice(0, maxNamed).map(({ title }) => title)
    return `These ${what}: ${named.join(', ')}${all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''}.`
  })
}

/** @param url the server, if it is that of the contract */
function rootNotes(foreign: Json, url: string | undefined): string[] {
  const components = toRecord(foreign['components'])
  const servers = listOf(foreign['servers'])
  const template = String(toRecord(servers[0])['url'])
  return [
    ...(servers.length > 1 ? [`The first of its ${servers.length} servers is used.`] : []),
    ...(url !== undefined && template.includes('{')
      ? [`Its server ${template} is a template, used with its defaults: ${url}. To set another one: --server URL.`]
      : []),
    ...(isRecord(foreign['webhooks']) ? ['Its webhooks are not imported.'] : []),
    ...(isRecord(components['links']) ? ['Its links are not imported.'] : []),
  ]
}

function closedNotes(schemas: Json): string[] {
  const names = closedSchemas(schemas)
  if (names.length === 0) return []
  return [
    `These schemas combine parts by allOf, and a part forbids the fields of the others (additionalProperties: false), so ` +
      `a response with all fields breaks them: ${names.join(', ')}.`,
  ]
}

/** Returns `security` for the operations that state none. A note says that it is assumed: if no operation requires a scheme. */
function defaultSecurity(foreign: Json, all: readonly ForeignOperation[], schemes: Json, chosen: string | undefined) {
  const choices = [...Object.keys(schemes), 'none']
  if (chosen !== undefined && !choices.includes(chosen))
    throw new RangeError(`it has no credential ${JSON.stringify(chosen)}: expected ${choices.join(' or ')}`)
  if (chosen !== undefined) return { security: chosen === 'none' ? [] : [{ [chosen]: [] }], notes: [] }
  const declared = componentsOf(foreign, 'securitySchemes')
  const names = Object.keys(schemes).filter((name) => Object.hasOwn(declared, name))
  const states = [foreign, ...all.map(({ operation }) => operation)].some((one) => one['security'] !== undefined)
  if (states || names.length === 0) return { security: foreign['security'], notes: [] }
  const sentence = `It declares ${names.join(' and ')}, but no operation requires it. It is assumed for all operations; to decide: --credential ${names[0]}, or --credential none.`
  return { security: names.map((name) => ({ [name]: [] })), notes: [sentence] }
}
