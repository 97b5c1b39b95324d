import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { type ComponentReader, createComponentReader } from './components.ts'
import { effectOf } from './effects.ts'
import { endlessSchema, faultsOf, parametersOf } from './faults.ts'
import { type Json, listOf, mapValues } from './json.ts'
import { operationNames, type Unnamed } from './names.ts'
import { type ForeignOperation, operationKey, operationsOf, templateNames, titleOf } from './operations.ts'
import { credentialsOf, type ForeignCredentials, securityOf } from './security.ts'
import { serverOf } from './server.ts'

/** Options of an import. */
export interface ImportOptions {
  /** Name of the interface. If the contract is imported into an interface of the spec, it is the name of the contract. */
  readonly name: string
  /** Origin and certainty, for `x-source`. */
  readonly source: string
  /** Replaces the server of the contract. */
  readonly server?: string | undefined
  /** Names from an earlier import, by `operationKey`. The operations with these keys keep their names. */
  readonly names: ReadonlyMap<string, string>
  /** Prefix for the names of schemas. */
  readonly namespace: string
}

/** A converted contract, with notes about the parts that were not converted. */
export interface Imported {
  readonly contract: Json
  readonly operations: number
  /** Number of operations with an assumed effect, by effect. */
  readonly assumed: Readonly<Record<string, number>>
  /** One sentence for everything that was changed or not imported. */
  readonly notes: readonly string[]
}

/** State of an import while it converts the operations. */
interface Work {
  readonly foreign: Json
  readonly reader: ComponentReader
  readonly credentials: ForeignCredentials
  /** A clause such as "have callbacks", with the operations that it applies to. */
  readonly lost: Map<string, string[]>
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
  const headers = all.flatMap((one) => parametersOf(foreign, one).filter((parameter) => parameter['in'] === 'header'))
  const credentials = credentialsOf(foreign, options.name, new Set(headers.map((header) => String(header['name']))))
  const reader = createComponentReader(foreign, options.namespace)
  const work: Work = { foreign, reader, credentials, lost: new Map() }
  const isElsewhere = ({ item, operation }: ForeignOperation) => Boolean(operation['servers'] ?? item['servers'])
  for (const one of all.filter(isElsewhere)) note(work, 'have a server of their own, so they are left out', one)
  const operations = all.filter((one) => !isElsewhere(one))
  if (operations.length === 0) throw new RangeError('every operation has a server of its own')
  const unnamed = withAreas(operations, foreign)
  const names = operationNames(unnamed, options.names)
  const assumed: Record<string, number> = {}
  const paths = new Map<string, [string, Json][]>()
  for (const { operation: one, area } of unnamed) {
    const converted = convertOperation(one, work, defined(names.get(operationKey(one))), area)
    if (converted['x-assumed'])
      assumed[String(converted['x-effect'])] = (assumed[String(converted['x-effect'])] ?? 0) + 1
    paths.set(one.path, [...(paths.get(one.path) ?? []), [one.method, converted]])
  }
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
    servers: [{ url: serverOf(foreign, options.server) }],
    tags: [...new Set(unnamed.map(({ area }) => area))].map((name) => ({ name })),
    paths: Object.fromEntries([...paths].map(([path, methods]) => [path, Object.fromEntries(methods)])),
    components: { schemas, securitySchemes: credentials.schemes },
  }
  const notes = [...credentials.notes, ...sentences(work.lost), ...reader.notes, ...rootNotes(foreign)]
  return { contract, operations: operations.length, assumed, notes }
}

/** Converts one operation. */
function convertOperation(one: ForeignOperation, work: Work, name: string, area: string): Json {
  const { foreign, reader } = work
  const { operation } = one
  const { tags, operationId, summary, description, deprecated, requestBody, callbacks } = operation
  if (isRecord(callbacks)) note(work, 'have callbacks, which are not imported', one)
  if (listOf(tags).length > 1) note(work, 'have several tags and belong to the first', one)
  const { parameters, credential } = ownParameters(one, work)
  const stated = operation['security'] ?? foreign['security'] ?? (credential ? [{ [credential]: [] }] : [])
  const { security, scopes, lost } = securityOf(stated, work.credentials.schemes)
  if (lost) note(work, lost, one)
  const responses = ownResponses(operation['responses'], reader)
  const effect = operation['x-effect'] ?? effectOf(one, responses)
  const text = typeof summary === 'string' && summary.trim() !== '' ? summary.trim() : titleOf(one)
  return {
    tags: [area],
    ...(typeof operationId === 'string' && { operationId }),
    summary: text,
    description: typeof description === 'string' && description.trim() !== '' ? description : text,
    ...(deprecated === true && { deprecated }),
    'x-name': name,
    'x-effect': effect,
    ...(operation['x-effect'] === undefined && { 'x-assumed': ['x-effect'] }),
    ...(scopes.length > 0 && { 'x-scopes': scopes }),
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody: reader.part(requestBody) }),
    responses,
  }
}

/** Returns the parameters that can be sent. A header that carries a credential becomes a security scheme instead. */
function ownParameters(one: ForeignOperation, { foreign, reader, credentials, lost }: Work) {
  let credential: string | undefined
  const work = { lost }
  const parameters = parametersOf(foreign, one).filter(({ in: place, name }) => {
    const header = place === 'header' ? String(name).toLowerCase() : ''
    const scheme = credentials.byHeader.get(header)
    if (scheme !== undefined) {
      credential = scheme
      note(work, `state the credential ${name} as a header; it becomes their credential`, one)
    }
    if (place === 'cookie') note(work, 'have parameters in a cookie, which are not imported', one)
    const isImplied = ['accept', 'content-type'].includes(header)
    const isUnplaced = place === 'path' && !templateNames(one.path).includes(String(name))
    if (isUnplaced) note(work, `declare the path parameter {${name}}, which their path does not have`, one)
    return scheme === undefined && place !== 'cookie' && !isImplied && !isUnplaced
  })
  return { parameters: parameters.map((parameter) => requiredInPath(toRecord(reader.part(parameter)))), credential }
}

function requiredInPath(parameter: Json): Json {
  return parameter['in'] === 'path' ? { ...parameter, required: true } : parameter
}

/** Adds a description to each response. If the operation has no response, adds one. */
function ownResponses(responses: unknown, reader: ComponentReader): Json {
  const described = mapValues(toRecord(responses), (response, status) => ({
    description: `Answered ${status}.`,
    ...toRecord(reader.part(response)),
  }))
  const stated = Object.entries(described).filter(([status]) => /^([1-5](\d\d|xx)|default)$/i.test(status))
  if (stated.length === 0) return { default: { description: 'The contract does not state the answers.' } }
  return Object.fromEntries(stated.map(([status, response]) => [status.replace(/xx$/i, 'XX'), response]))
}

/** Adds the area of each operation: its first tag. Tags that differ only in spelling are the same area. */
function withAreas(operations: readonly ForeignOperation[], foreign: Json): Unnamed[] {
  const title = String(toRecord(foreign['info'])['title'])
  const fallback = kebabCase(title) === '' ? 'Operations' : title
  const byKey = new Map<string, string>()
  return operations.map((operation) => {
    const tag = String(listOf(operation.operation['tags'])[0] ?? fallback)
    const key = kebabCase(tag).replaceAll('-', '')
    const area = byKey.get(key) ?? (key === '' ? fallback : tag)
    byKey.set(key, area)
    return { operation, area }
  })
}

function note({ lost }: Pick<Work, 'lost'>, what: string, one: ForeignOperation): void {
  lost.set(what, [...(lost.get(what) ?? []), titleOf(one)])
}

/** Maximum number of operations that a note names. The note counts the other operations. */
const maxNamed = 3

function sentences(lost: ReadonlyMap<string, readonly string[]>): string[] {
  return [...lost].map(([what, titles]) => {
    const rest = titles.length - maxNamed
    const named = titles.slice(0, maxNamed).join(', ')
    return `These ${what}: ${named}${rest > 0 ? ` and ${rest} more` : ''}.`
  })
}

function rootNotes(foreign: Json): string[] {
  const components = toRecord(foreign['components'])
  const servers = listOf(foreign['servers']).length
  return [
    ...(servers > 1 ? [`The first of its ${servers} servers is used.`] : []),
    ...(isRecord(foreign['webhooks']) ? ['Its webhooks are not imported.'] : []),
    ...(isRecord(components['links']) ? ['Its links are not imported.'] : []),
  ]
}
