import { servePrism } from '@cdn/conformance/prism'
import type { Ready } from './child.ts'

const { url } = await servePrism('management')
process.send?.({ managementUrl: url.href, loggingUrl: url.href, accessKey: 'any' } satisfies Ready)

// If the measurement fails, its servers must stop, too.
process.once('disconnect', () => process.exit())
