import { createServer } from '@stoplight/prism-http-server'
import type { Ready } from './child.ts'
import { prismConfig, prismLogger, readOperations } from './prism.ts'

const server = createServer(await readOperations(), {
  cors: false,
  components: { logger: prismLogger },
  config: prismConfig,
})
const url = await server.listen(0, '127.0.0.1')
process.send?.({ managementUrl: url, loggingUrl: url, accessKey: 'any' } satisfies Ready)

// A measurement that fails must not leave its servers behind.
process.once('disconnect', () => process.exit())
