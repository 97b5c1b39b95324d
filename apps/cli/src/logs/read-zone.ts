import type { LogFilters } from '@cdn/api'
import { resolveZone } from '../operations/names.ts'
import type { CommandContext } from '../program/command.ts'
import { formatShare } from './figures.ts'
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
  const pullZoneId = await resolveZone(context, zone)
  return { line, options, query: { ...filters, pullZoneId, signal: context.signal, onRetry: retryNotice(line) } }
}

/** Describes how far a read is: what it has, and the read share of its range. @param read length of the part that was read, in ms */
export function progressText(has: string, { from, to }: TimeRange, read: number): string {
  return `${has} · ${formatShare(Math.max(0, Math.min(1, read / Math.max(1, to - from))))} of the range`
}
