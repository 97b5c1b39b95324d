import { runtimeProcess } from '@cdn/kit/runtime'
import { version } from './gen/version.ts'

const { navigator }: { readonly navigator?: { readonly userAgent?: string } } = globalThis

/**
 * The value of `User-Agent`, for the platform's support. Browsers refuse this header, or ask the server's permission for it first.
 * So only Node, Bun, Deno and workerd send it.
 */
export const userAgent =
  runtimeProcess()?.versions?.node || navigator?.userAgent === 'Cloudflare-Workers' ? `cdn-api/${version}` : undefined
