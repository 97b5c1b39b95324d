import { runtimeProcess } from './runtime.ts'

interface ConnectionError extends Error {
  readonly code?: unknown
  readonly statusCode?: unknown
}

/** Code of an error: the proxy closed the connection instead of answering. */
export const proxyClosed = 'ERR_PROXY_CLOSED'

/**
 * Returns why a request got no response: the refusal of a proxy, an unreachable proxy, or the error's code such as `ECONNREFUSED`. The
 * text contains no URL and no header.
 *
 * @param error an error of `fetch` or `node:http`
 * @returns a short text; undefined without such a reason
 */
export function networkReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode, message, cause }: ConnectionError = error
  const refused = /^Proxy response \((\d{3})\)/.exec(message)?.[1] ?? (code === 'ERR_PROXY_TUNNEL' && statusCode)
  if (refused) return `the proxy answers ${refused}${Number(refused) === 407 ? ': wrong credentials' : ''}`
  if (code === proxyClosed) return 'the proxy closes the connection'
  if (typeof code !== 'string') return networkReason(cause)
  const env = runtimeProcess()?.env ?? {}
  const isProxy = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => {
    const url = env[name] ?? ''
    if (!URL.canParse(url)) return false
    const { protocol, port, hostname } = new URL(url)
    // Such as `connect ECONNREFUSED 10.0.0.1:3128`, or `getaddrinfo ENOTFOUND proxy.example`.
    return message.endsWith(`:${port || (protocol === 'https:' ? 443 : 80)}`) || message.endsWith(` ${hostname}`)
  })
  return isProxy ? `the proxy cannot be reached: ${code}` : code
}
