import type { LogRow } from '../state/log-row.ts'
import type { Zone } from '../state/state.ts'
import type { Variants } from '../variants.ts'
import { showAddress } from './address.ts'
import { createTimeFormat, shownTime } from './shown-time.ts'

/** Texts that are remembered in JSON form during one request: agents, hosts and addresses come again and again. */
const remembered = 1_000

/**
 * Writes rows as entries of v2, in JSON: all fields of the supplement, the last three with extended logging only. A page
 * holds up to 10,000, so the text is put together by hand: that takes a third of the time of objects and JSON.stringify.
 */
export function createEntryFormat(zone: Zone, variants: Variants): (row: LogRow) => string {
  const time = createTimeFormat(variants)
  const absent = variants.nullFields === 'omitted' ? () => '' : (name: string) => `,"${name}":null`
  const quote = remember((text: string) => JSON.stringify(text))
  const address = remember((text: string) => JSON.stringify(showAddress(text, zone.addresses)))
  const optional = (name: string, text: string | null) => (text === null ? absent(name) : `,"${name}":${quote(text)}`)
  const count = (name: string, value: number | bigint | null) => (value === null ? absent(name) : `,"${name}":${value}`)

  return (row) => {
    const { requestId, remoteIp } = row
    const host = quote(row.host)
    const path = quote(row.path)
    const id = requestId === null ? 'null' : JSON.stringify(requestId)
    const entry =
      `{"timestamp":"${time(shownTime(row.timestamp, variants))}","pullZoneId":${row.pullZoneId},"requestId":${id},` +
      `"cacheStatus":${quote(row.cacheStatus)},"statusCode":${row.statusCode},"bytesSent":${row.bytesSent},` +
      `"edgeLocation":${quote(row.edgeLocation)},"scheme":${quote(row.scheme)},"host":${host},"path":${path},` +
      `"url":"${quote(row.scheme).slice(1, -1)}://${host.slice(1, -1)}${path.slice(1)}` +
      (remoteIp === null ? absent('remoteIp') : `,"remoteIp":${address(remoteIp)}`) +
      optional('countryCode', row.countryCode) +
      optional('userAgent', row.userAgent) +
      optional('referer', row.referer) +
      optional('ja4Fingerprint', row.ja4Fingerprint) +
      count('asn', row.asn) +
      optional('asnOrganization', row.asnOrganization)
    if (!zone.extendedLogging) return `${entry}}`
    const extended =
      count('bodyBytesSent', row.bodyBytesSent) +
      optional('contentRange', row.contentRange) +
      optional('authorizationHeader', row.authorizationHeader)
    return `${entry + extended}}`
  }
}

/** The address that was asked for, with the query string. */
export function urlOf(row: LogRow): string {
  return `${row.scheme}://${row.host}${row.path}`
}

function remember(convert: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = convert(text)
    if (known.size < remembered) known.set(text, made)
    return made
  }
}
