import { isIPv4, isIPv6 } from 'node:net'
import type { LineField } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { stringifyJson, toInteger } from '@cdn/kit/json'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { PullZone } from '../state/zones.ts'
import { formatTime, shownTime } from './time.ts'

/**
 * Creates a function that writes a row as a JSON entry of v2, with all fields of the supplement. The last three appear only with
 * extended logging.
 */
export function createEntryFormat(zone: PullZone, variants: Variants): (row: StoredLogRow) => string {
  const absent = variants.nullFields === 'omitted' ? undefined : null
  return (row) => {
    const shown = shownFields(row, zone, variants)
    const entry = {
      timestamp: formatTime(shown.timestamp, variants),
      pullZoneId: toInteger(row.pullZoneId),
      requestId: row.requestId,
      cacheStatus: row.cacheStatus,
      statusCode: row.statusCode,
      bytesSent: row.bytesSent,
      edgeLocation: row.edgeLocation,
      scheme: row.scheme,
      host: row.host,
      path: row.path,
      url: shown.url,
      remoteIp: shown.remoteIp ?? absent,
      countryCode: row.countryCode ?? absent,
      userAgent: row.userAgent ?? absent,
      referer: row.referer ?? absent,
      ja4Fingerprint: row.ja4Fingerprint ?? absent,
      asn: row.asn ?? absent,
      asnOrganization: row.asnOrganization ?? absent,
      bodyBytesSent: zone.extendedLogging ? (row.bodyBytesSent ?? absent) : undefined,
      contentRange: zone.extendedLogging ? (row.contentRange ?? absent) : undefined,
      authorizationHeader: zone.extendedLogging ? (row.authorizationHeader ?? absent) : undefined,
    }
    const isExact = [entry.pullZoneId, entry.bytesSent, entry.bodyBytesSent].every((value) => typeof value !== 'bigint')
    // JSON.stringify is faster, but it cannot write a bigint.
    return isExact ? JSON.stringify(entry) : assertDefined(stringifyJson(entry))
  }
}

/** Marks an absent value. In the first field, it is the cache status of a request that did not use the cache (§2). */
const absentMark = '-'

/**
 * Creates a function that formats a line of a v1 file. The contract lists the fields in their order (`x-line`). Pipes and line
 * breaks are removed from texts, so that a line can be split at pipes.
 */
export function createLogLineFormat(
  fields: readonly LineField[],
  zone: PullZone,
  variants: Variants,
): (row: StoredLogRow) => string {
  const names = fields.filter(({ extended }) => !extended || zone.extendedLogging).map(({ name }) => name)
  return (row) => {
    const values: Readonly<Record<string, unknown>> = { ...row, ...shownFields(row, zone, variants) }
    return names.map((name) => clean(values[name])).join('|')
  }
}

function clean(value: unknown): string {
  if (value === null || value === undefined) return absentMark
  if (typeof value !== 'string') return String(value)
  return (/[|\r\n]/.test(value) ? value.replaceAll(/[|\r\n]/g, '') : value) || absentMark
}

function shownFields(row: StoredLogRow, { addresses }: PullZone, variants: Variants) {
  return {
    timestamp: shownTime(row.timestamp, variants),
    url: `${row.scheme}://${row.host}${row.path}`,
    remoteIp: row.remoteIp && showAddress(row.remoteIp, addresses),
  }
}

/**
 * Anonymizes an address as the zone is configured (supplement). The result is the whole address, its network (/24 for IPv4, /64 for
 * IPv6), or `0.0.0.0` or `::`.
 *
 * @param address an IPv4 or IPv6 address; any other text is returned unchanged
 */
export function showAddress(address: string, shown: PullZone['addresses']): string {
  if (shown === 'whole') return address
  if (isIPv4(address)) return shown === 'dropped' ? '0.0.0.0' : address.replace(/\d+$/, '0')
  if (isIPv6(address)) return shown === 'dropped' ? '::' : networkOf(address)
  return address
}

/** Returns the first 64 bits of an IPv6 address, in the short form. */
function networkOf(address: string): string {
  const [head, tail] = address.split('::')
  const before = head ? head.split(':') : []
  const after = tail ? tail.split(':') : []
  // An embedded IPv4 address takes the place of two groups.
  const groupsAfter = after.length + (after.at(-1)?.includes('.') ? 1 : 0)
  const groups =
    tail === undefined ? before : [...before, ...Array(8 - before.length - groupsAfter).fill('0'), ...after]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::`.replace(/(^0)?(:0)*::$/, '::')
}
