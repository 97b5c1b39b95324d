import { toRecord } from '@cdn/kit/record'
import { listOf } from './json.ts'

/**
 * Returns the URL of the first server, with the defaults of its variables.
 *
 * @param servers `servers` of a contract, a path or an operation
 * @returns undefined if no server is stated
 */
export function serverUrl(servers: unknown): string | undefined {
  const { url, variables } = toRecord(listOf(servers)[0])
  if (typeof url !== 'string') return undefined
  const defaultOf = (name: string) => toRecord(toRecord(variables)[name])['default']
  return url
    .replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => String(defaultOf(name) ?? whole))
    .replace(/(?<!\/)\/+$/, '')
}

/**
 * Checks the server of a contract: a URL with its base path.
 *
 * @param text the server
 * @param hint end of the message
 * @throws RangeError with a clause if requests cannot be sent to it
 */
export function checkServer(text: string, hint: string): string {
  const url = URL.parse(text)
  if (!url) throw new RangeError(`its server ${JSON.stringify(text)} is not an absolute URL${hint}`)
  if (!/^https?:$/.test(url.protocol))
    throw new RangeError(`its server ${JSON.stringify(text)} is not an HTTP URL${hint}`)
  if (url.username || url.password)
    throw new RangeError(`its server contains a credential, which a URL must not${hint}`)
  if (url.search || url.hash || /[{}]|%7B/i.test(text))
    throw new RangeError(`its server ${JSON.stringify(text)} has more than a host and a path${hint}`)
  return url.href.replace(/(?<!\/)\/+$/, '')
}
