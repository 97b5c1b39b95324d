import type { LineField } from '@cdn/api/contract'
import type { LogRow } from '../state/log-row.ts'
import type { Zone } from '../state/state.ts'
import type { Variants } from '../variants.ts'
import { showAddress } from './address.ts'
import { urlOf } from './entry.ts'
import { shownTime } from './shown-time.ts'

/** Stands for an absent value; in the first field it is the cache status of a request without the cache (§2). */
const absent = '-'

/**
 * Makes the lines of a v1 file, with the fields and their order as the contract lists them (`x-line`). Pipes and line
 * breaks are stripped from text, so that a line can be split again.
 */
export function createLineFormat(
  fields: readonly LineField[],
  zone: Zone,
  variants: Variants,
): (row: LogRow) => string {
  const readers = fields
    .filter((field) => !field.extended || zone.extendedLogging)
    .map(({ name }) => readerOf(name, zone, variants))
  return (row) => readers.map((read) => read(row)).join('|')
}

/** Reads one field of a row as text for a line. */
function readerOf(name: string, zone: Zone, variants: Variants): (row: LogRow) => string {
  switch (name) {
    case 'timestamp':
      return (row) => String(shownTime(row.timestamp, variants))
    case 'url':
      return (row) => clean(urlOf(row))
    case 'remoteIp':
      return ({ remoteIp }) => clean(remoteIp && showAddress(remoteIp, zone.addresses))
    default:
      return (row) => clean(row[name as keyof LogRow])
  }
}

function clean(value: unknown): string {
  if (value === null || value === undefined) return absent
  if (typeof value !== 'string') return String(value)
  return (/[|\r\n]/.test(value) ? value.replaceAll(/[|\r\n]/g, '') : value) || absent
}
