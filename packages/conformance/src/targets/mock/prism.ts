/** Runs Prism in this process: reads the contract and serves it. */
import { contracts, type InterfaceName, type OpenApi } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec, type IHttpConfig } from '@stoplight/prism-http'
import { generateStatic } from '@stoplight/prism-http/dist/mocker/generator/JSONSchema.js'
import { createServer } from '@stoplight/prism-http-server'
import { resolverOf, schemaExample } from '../../core/example.ts'
import { validateBody } from '../../recording/validate-exchange.ts'

export type PrismOperations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/** Prism gives static answers, and validates credentials and requests. */
export const prismConfig = {
  isProxy: false,
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies IHttpConfig

export const prismLogger: ReturnType<typeof createLogger> = createLogger('prism', { level: 'silent' })

/**
 * Reads one layer of a contract. Prism gets a copy, because it resolves references in place. JSON becomes the first media
 * type of each response, because Prism answers an invalid request in the first type, whatever the request accepts. Any type
 * becomes JSON, because Prism writes no object in it.
 */
export async function readPrismOperations(name: InterfaceName, layer: 'document' | 'full'): Promise<PrismOperations> {
  const api: OpenApi = contracts[name].openapi[layer]
  const operations = await getHttpOperationsFromSpec(structuredClone(api))
  const rank = ({ mediaType }: { mediaType: string }) => (mediaType.includes('json') ? 0 : 1)
  for (const { contents = [] } of operations.flatMap(({ responses }) => responses)) {
    for (const content of contents) if (content.mediaType === '*/*') content.mediaType = 'application/json'
    contents.sort((one, other) => rank(one) - rank(other))
  }
  for (const operation of operations) repairAnswers(name, layer, operation)
  return operations
}

/**
 * Adds an example where Prism would break the schema of an answer: Prism ignores patterns, and parts of `allOf` without a type.
 * What the contract itself gives as an example stays, even if it is invalid.
 */
function repairAnswers(name: InterfaceName, layer: 'document' | 'full', resource: PrismOperations[number]): void {
  const operation = contracts[name].operations.find(
    ({ method, path }) => method === resource.method && path === resource.path,
  )
  if (!operation) return
  for (const { code, contents = [] } of resource.responses) {
    const { content } = operation.responses.find(({ status }) => status === code) ?? {}
    for (const answer of contents) {
      const { mediaType, schema, examples = [] } = answer
      const stated = content?.[mediaType]
      if (!schema || !stated || examples.length > 0) continue
      const [status, headers] = [Number(code.replaceAll('X', '0')), new Headers({ 'content-type': mediaType })]
      const isValid = (value: unknown) =>
        !validateBody(operation, layer, { status, headers, text: JSON.stringify(value) ?? '' })
      // The packages of Prism have different versions of the same type.
      const sample = generateStatic(resource, schema as Parameters<typeof generateStatic>[1])
      const value = schemaExample(stated, resolverOf(operation))
      if (!(sample._tag === 'Right' && isValid(sample.right)) && isValid(value))
        answer.examples = [{ id: 'valid', key: 'valid', value }]
    }
  }
}

/**
 * Serves operations on a free loopback port.
 *
 * @param upstream if given, Prism is a validating proxy in front of this server; otherwise a mock
 */
export async function servePrism(
  operations: PrismOperations,
  upstream?: URL,
): Promise<{ readonly url: URL; close(): Promise<void> }> {
  const config: IHttpConfig = upstream ? { ...prismConfig, isProxy: true, upstream } : prismConfig
  const server = createServer(operations, { cors: false, components: { logger: prismLogger }, config })
  const url = new URL(await server.listen(0, '127.0.0.1'))
  return { url, close: () => server.close() }
}
