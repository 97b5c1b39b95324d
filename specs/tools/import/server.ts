import { toRecord } from '@cdn/kit/record'
import { type Json, listOf } from './json.ts'
import type { ForeignOperation } from './operations.ts'

/**
 * Chooses the server of a contract: the stated one, the first one of the contract, or the one that all operations have.
 *
 * @param stated a URL with its base path, which replaces all servers of the contract
 * @returns its URL, and the operations that have another server
 * @throws RangeError with a clause if requests cannot be sent to it
 */
export function chooseServer(foreign: Json, all: readonly ForeignOperation[], stated: string | undefined) {
  const ownOf = ({ item, operation }: ForeignOperation) => serverUrl(operation['servers']) ?? serverUrl(item['servers'])
  const [first, ...others] = new Set(all.map(ownOf))
  const home = serverUrl(foreign['servers']) ?? (others.length === 0 ? first : undefined)
  const elsewhere = all.filter((one) => ![undefined, home].includes(ownOf(one)))
  const hint = '; set it with --server https://HOST/PATH'
  if (stated !== undefined) return { url: checkServer(stated, ''), elsewhere }
  if (elsewhere.length === all.length) throw new RangeError(`every operation has a server of its own${hint}`)
  return { url: checkServer(home ?? '/', hint), elsewhere }
}

/** Returns the URL of the first server, with the defaults of its variables; undefined if no server is stated. */
function serverUrl(servers: unknown): string | undefined {
  const { url, variables } = toRecord(listOf(servers)[0])
  if (typeof url !== 'string') return undefined
  const defaultOf = (name: string) => toRecord(toRecord(variables)[name])['default']
  return url
    .replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => String(defaultOf(name) ?? whole))
    .replace(/(?<!\/)\/+$/, '')
}

/** Returns the URL of a server without slashes at its end. `hint` is the end of the message. */
function checkServer(text: string, hint: string): string {
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
