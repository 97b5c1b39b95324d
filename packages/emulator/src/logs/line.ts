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
  const names = fields.filter((field) => !field.extended || zone.extendedLogging).map((field) => field.name)
  return (row) => names.map((name) => clean(fieldOf(row, name, zone, variants))).join('|')
}

function fieldOf(row: LogRow, name: string, zone: Zone, variants: Variants): unknown {
  switch (name) {
    case 'timestamp':
      return shownTime(row.timestamp, variants)
    case 'url':
      return urlOf(row)
    case 'remoteIp':
      return row.remoteIp && showAddress(row.remoteIp, zone.addresses)
    default:
      return row[name as keyof LogRow]
  }
}

function clean(value: unknown): string {
  return value === null || value === undefined ? absent : String(value).replaceAll(/[|\r\n]/g, '') || absent
}
