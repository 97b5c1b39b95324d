/** Runs Prism in this process: reads the contract and serves it. */
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec, type IHttpConfig } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'

/** Prism sends static responses, and validates credentials and requests. The checks of the suite validate the responses. */
const config: IHttpConfig = {
  ...{ isProxy: false, checkSecurity: true, validateRequest: true, validateResponse: false, errors: false },
  upstreamProxy: undefined,
  mock: { dynamic: false },
}

/**
 * Serves the full contract of an interface on the loopback interface.
 *
 * @param port by default a free one
 */
export async function servePrism(name: InterfaceName, port = 0): Promise<{ url: URL; close(): Promise<void> }> {
  // A copy, because Prism resolves references in place: a schema that refers to itself would become an endless object.
  const operations = await getHttpOperationsFromSpec(structuredClone(contracts[name].openapi.full))
  const server = createServer(operations, {
    ...{ cors: false, config },
    components: { logger: createLogger('prism', { level: 'silent' }) },
  })
  const url = new URL(await server.listen(port, '127.0.0.1'))
  return { url, close: () => server.close() }
}
