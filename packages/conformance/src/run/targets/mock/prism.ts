/** Runs Prism in this process: reads the contract and serves it. */
import { createRequire } from 'node:module'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { decodeStep } from '@cdn/kit/reference'
import { createLogger } from '@stoplight/prism-core'
import type { getHttpOperationsFromSpec, IHttpConfig } from '@stoplight/prism-http'
import { generateStatic } from '@stoplight/prism-http/dist/mocker/generator/JSONSchema.js'
import { createServer } from '@stoplight/prism-http-server'
import { resolverOf, schemaExample } from '../../../cases/example.ts'
import { validateBody } from '../../validate-exchange.ts'

/** Prism's own converters of OpenAPI. Their types import TypeScript sources that the settings of this repository refuse. */
interface Converters {
  /** Converts a schema to one of draft 7. */
  convertToJsonSchema(document: object, schema: unknown): object
  /** Converts the operations; references to schemas stay. */
  transformOas3Operations(document: object): object[]
}

const require = createRequire(import.meta.url)
const { convertToJsonSchema, transformOas3Operations }: Converters = require('@stoplight/http-spec')

type PrismOperations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/** Prism gives static responses, and validates credentials and requests. */
const config: IHttpConfig = {
  isProxy: false,
  checkSecurity: true,
  validateRequest: true,
  // The checks validate the responses themselves. Prism takes 10 s of a processor for the first response of a large contract.
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
}

/** A reference to a schema, as Prism resolves it within an operation. */
const reference = /"\$ref":"#\/__bundled__\/([^"/]+)/g

/**
 * Reads a full contract. Prism's own function would replace each reference by its target first, which never ends for schemas
 * that refer to many others. Objects in a query or a form (`deepObject`) are left out if they are optional, because Prism takes an
 * absent one for an empty one. JSON becomes the first media type of each response, because Prism answers an invalid request in the
 * first type, whatever the request accepts. Any type becomes JSON, because Prism writes no object in it.
 */
export function readPrismOperations(name: InterfaceName): PrismOperations {
  const { full } = contracts[name].openapi
  const textOf = (value: unknown) =>
    JSON.stringify(value).replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/__bundled__/')
  const stated = Object.entries(toRecord(toRecord(full.components)['schemas']))
  const texts = new Map(stated.map(([key, schema]) => [key, textOf(convertToJsonSchema(full, schema))]))
  const schemas = new Map([...texts].map(([key, text]) => [key, JSON.parse(text)]))
  const operations: PrismOperations = transformOas3Operations(full).map((operation) => {
    const text = textOf(operation)
    const names = [...namesIn(text, texts)].map((key) => [key, schemas.get(key)])
    return { ...JSON.parse(text), __bundled__: Object.fromEntries(names) }
  })
  for (const { request } of operations) {
    const isLeftOut = ({ style, required }: { style: string; required?: boolean }) =>
      style === 'deepObject' && !required
    if (request?.query) request.query = request.query.filter((parameter) => !isLeftOut(parameter))
    for (const content of request?.body?.contents ?? [])
      content.encodings = (content.encodings ?? []).filter(({ style }) => style !== 'deepObject')
  }
  const rank = ({ mediaType }: { mediaType: string }) => (mediaType.includes('json') ? 0 : 1)
  for (const { contents = [] } of operations.flatMap(({ responses }) => responses)) {
    for (const content of contents) if (content.mediaType === '*/*') content.mediaType = 'application/json'
    contents.sort((one, other) => rank(one) - rank(other))
  }
  for (const operation of operations) repairResponses(name, operation)
  return operations
}

/** The names of the schemas that a text refers to, directly or by another schema. */
function namesIn(text: string, texts: ReadonlyMap<string, string>, names = new Set<string>()): Set<string> {
  for (const [, step = ''] of text.matchAll(reference)) {
    const name = decodeStep(step)
    if (names.has(name)) continue
    names.add(name)
    namesIn(texts.get(name) ?? '', texts, names)
  }
  return names
}

/**
 * Adds an example where Prism would break the schema of a response: Prism ignores patterns, and parts of `allOf` without a type.
 * What the contract itself gives as an example stays, even if it is invalid.
 */
function repairResponses(name: InterfaceName, resource: PrismOperations[number]): void {
  const operation = contracts[name].operations.find(
    ({ method, path }) => method === resource.method && path === resource.path,
  )
  for (const { status: code, content } of operation?.responses ?? [])
    for (const response of resource.responses.find((response) => response.code === code)?.contents ?? []) {
      const schema = content[response.mediaType]
      if (!operation || !schema || !response.schema || response.examples?.length) continue
      // The packages of Prism have different versions of the same type.
      const sample = generateStatic(resource, response.schema as Parameters<typeof generateStatic>[1])
      const text = sample._tag === 'Right' ? (JSON.stringify(sample.right) ?? '') : ''
      // `default` stands for any other status.
      const status = Number(code.replace('XX', '00')) || 599
      const headers = new Headers({ 'content-type': response.mediaType })
      if (sample._tag === 'Left' || validateBody(operation, { status, headers, text }))
        response.examples = [{ id: 'own', key: 'own', value: schemaExample(schema, resolverOf(operation)) }]
    }
}

/**
 * Serves operations on the loopback interface.
 *
 * @param port by default a free one
 */
export async function servePrism(operations: PrismOperations, port = 0): Promise<{ url: URL; close(): Promise<void> }> {
  const logger = createLogger('prism', { level: 'silent' })
  const server = createServer(operations, { cors: false, components: { logger }, config })
  const url = new URL(await server.listen(port, '127.0.0.1'))
  return { url, close: () => server.close() }
}
