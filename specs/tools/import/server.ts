import { toRecord } from '@cdn/kit/record'
import { type Json, listOf } from './json.ts'

/**
 * Returns the server of a foreign contract: a URL with its base path.
 *
 * @param stated replaces the server of the contract
 * @throws RangeError with a clause if requests cannot be sent to it
 */
export function serverOf(foreign: Json, stated?: string): string {
  const first = toRecord(listOf(foreign['servers'])[0])
  const variables = toRecord(first['variables'])
  const contractUrl = String(first['url'] ?? '/').replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
    String(toRecord(variables[name])['default'] ?? whole),
  )
  const text = stated ?? contractUrl
  const url = URL.parse(text)
  const hint = stated === undefined ? '; set it with --server https://HOST/PATH' : ''
  if (!url) throw new RangeError(`its server ${JSON.stringify(text)} is not an absolute URL${hint}`)
  if (!/^https?:$/.test(url.protocol))
    throw new RangeError(`its server ${JSON.stringify(text)} is not an HTTP URL${hint}`)
  if (url.username || url.password)
    throw new RangeError(`its server contains a credential, which a URL must not${hint}`)
  if (url.search || url.hash || /[{}]|%7B/i.test(text))
    throw new RangeError(`its server ${JSON.stringify(text)} has more than a host and a path${hint}`)
  return url.href.replace(/(?<!\/)\/+$/, '')
}
