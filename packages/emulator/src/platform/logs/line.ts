import type { LineField } from '@cdn/api/contract'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { PullZone } from '../state/zones.ts'
import { showAddress } from './address.ts'
import { urlOf } from './entry.ts'
import { shownTime } from './time.ts'

/** Marks an absent value. In the first field, it is the cache status of a request that did not use the cache (§2). */
const absent = '-'

/**
 * Creates a function that formats a line of a v1 file. The contract lists the fields in their order (`x-line`). Pipes and line
 * breaks are removed from texts, so that a line can be split at pipes.
 */
export function createLogLineFormat(
  fields: readonly LineField[],
  zone: PullZone,
  variants: Variants,
): (row: StoredLogRow) => string {
  const readers = fields
    .filter((field) => !field.extended || zone.extendedLogging)
    .map(({ name }) => readerOf(name, zone, variants))
  return (row) => readers.map((read) => read(row)).join('|')
}

/** Returns a function that reads one field of a row as text. */
function readerOf(name: string, zone: PullZone, variants: Variants): (row: StoredLogRow) => string {
  switch (name) {
    case 'timestamp':
      return (row) => String(shownTime(row.timestamp, variants))
    case 'url':
      return (row) => clean(urlOf(row))
    case 'remoteIp':
      return ({ remoteIp }) => clean(remoteIp && showAddress(remoteIp, zone.addresses))
    default:
      // The cast is safe: every other field of a line has the name of a field of the row.
      return (row) => clean(row[name as keyof StoredLogRow])
  }
}

function clean(value: unknown): string {
  if (value === null || value === undefined) return absent
  if (typeof value !== 'string') return String(value)
  return (/[|\r\n]/.test(value) ? value.replaceAll(/[|\r\n]/g, '') : value) || absent
}
