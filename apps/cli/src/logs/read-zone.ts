import type { LogFilters } from '@cdn/api'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { CommandContext } from '../program/command.ts'
import { int64 } from '../program/value-type.ts'
import { formatShare } from './format.ts'
import type { TimeRange } from './range.ts'
import { createStatusLine, retryNotice } from './status-line.ts'

/**
 * Prepares a read of the logs of a zone.
 *
 * @param zone id or name
 * @returns the status line, the options of the client, and the query without its range
 */
export async function prepareRead(context: CommandContext, zone: string, filters: LogFilters = {}) {
  const line = createStatusLine(context)
  const options = await context.platform.options('logging')
  const pullZoneId = int64.parse(zone) ?? (await findZone(context, zone))
  return { line, options, query: { ...filters, pullZoneId, signal: context.signal, onRetry: retryNotice(line) } }
}

/** Describes the progress of a read. @param amount such as `20 rows` @param readMs length of the part of the range that was read */
export function progressText(amount: string, { from, to }: TimeRange, readMs: number): string {
  return `${amount} · ${formatShare(Math.max(0, Math.min(1, readMs / Math.max(1, to - from))))} of the range`
}

/** Finds a zone by its name. Loads the contract, which takes time and which an id does not need. */
async function findZone(context: CommandContext, name: string): Promise<number | bigint> {
  const { operations } = await import('@cdn/api/contract')
  const { resolveName } = await import('../operations/names.ts')
  return resolveName(context, assertDefined(operations.find((list) => list.name === 'list-pull-zones')), name)
}
