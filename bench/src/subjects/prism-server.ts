import { readPrismOperations, servePrism } from '@cdn/conformance/prism'
import type { Ready } from './child.ts'

const { url } = await servePrism(await readPrismOperations('management', 'full'))
process.send?.({ managementUrl: url.href, loggingUrl: url.href, accessKey: 'any' } satisfies Ready)

// A measurement that fails must not leave its servers behind.
process.once('disconnect', () => process.exit())
