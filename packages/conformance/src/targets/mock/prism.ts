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
  for (const { status: code, content } of operation?.responses ?? [])
    for (const answer of resource.responses.find((response) => response.code === code)?.contents ?? []) {
      const schema = content[answer.mediaType]
      if (!operation || !schema || !answer.schema || answer.examples?.length) continue
      // The packages of Prism have different versions of the same type.
      const sample = generateStatic(resource, answer.schema as Parameters<typeof generateStatic>[1])
      const text = sample._tag === 'Right' ? (JSON.stringify(sample.right) ?? '') : ''
      const [status, headers] = [Number(code.replace('XX', '00')), new Headers({ 'content-type': answer.mediaType })]
      if (sample._tag === 'Left' || validateBody(operation, layer, { status, headers, text }))
        answer.examples = [{ id: 'own', key: 'own', value: schemaExample(schema, resolverOf(operation)) }]
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
  // The checks validate the answers of a mock themselves. Prism takes 10 s of a processor for the first answer of a large contract.
  const mode = upstream ? { isProxy: true as const, upstream } : { validateResponse: false }
  const config: IHttpConfig = { ...prismConfig, ...mode }
  const server = createServer(operations, { cors: false, components: { logger: prismLogger }, config })
  const url = new URL(await server.listen(0, '127.0.0.1'))
  return { url, close: () => server.close() }
}
