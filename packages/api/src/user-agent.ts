import { version } from './gen/version.ts'

interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string } }
  readonly navigator?: { readonly userAgent?: string }
}

const { process, navigator }: Runtime = globalThis

/**
 * The value of `User-Agent`, for the platform's support. Browsers refuse this header, or ask the server's permission for it first.
 * So only Node, Bun, Deno and workerd send it.
 */
export const userAgent =
  process?.versions?.node || navigator?.userAgent === 'Cloudflare-Workers' ? `cdn-api/${version}` : undefined
