import { resolve } from 'node:path'
import { defined } from '@cdn/kit/defined'
import type { Config } from '../config/config.ts'
import { formatDuration } from '../config/units.ts'
import { type ZoneStatus, zoneStatus } from '../engine/status.ts'
import { readLedger } from '../ledger/open-ledger.ts'
import type { ExporterContext } from './context.ts'
import { exporterExitCodes } from './exit-codes.ts'
import type { CommandOf } from './options.ts'
import { exportPlan } from './runtime.ts'

/**
 * Shows the progress of each zone according to the ledger. A daemon may use the ledger at the same time.
 *
 * @param out receives a table or, with `json`, one object per zone
 * @returns the exit code: 0, or 6 if ranges are lost
 */
export async function status(
  config: Config,
  { json }: CommandOf<'status'>,
  { out }: Pick<ExporterContext, 'out'>,
): Promise<number> {
  const ledger = readLedger(config.ledger)
  if (!ledger) {
    const nothing = config.zones.map((zone) => `${JSON.stringify({ zone, gaps: [] })}\n`).join('')
    out.write(json ? nothing : `Nothing was exported yet: no ledger in ${resolve(config.ledger)}.\n`)
    return exporterExitCodes.done
  }
  try {
    const now = Date.now()
    const zones: ZoneStatus[] = []
    for (const zone of config.zones) zones.push(await zoneStatus(ledger, zone, now, exportPlan(config)))
    out.write(json ? zones.map((zone) => `${JSON.stringify(zone, readable)}\n`).join('') : toTable(zones, now))
    return zones.some(({ gaps }) => gaps.length > 0) ? exporterExitCodes.lost : exporterExitCodes.done
  } finally {
    await ledger.close()
  }
}

const times = new Set(['position', 'deadline', 'nextRecheck', 'from', 'to', 'noticedAt'])

/** Replaces times in JSON. */
function readable(key: string, value: unknown): unknown {
  return times.has(key) && typeof value === 'number' ? iso(value) : value
}

function toTable(zones: readonly ZoneStatus[], now: number): string {
  const rows = zones.map(({ zone, position, lag, backlog, deadline, gaps, backfilled }) => [
    zone,
    iso(position) ?? (backfilled ? 'backfilled only' : 'never exported'),
    duration(lag),
    duration(backlog),
    deadline === undefined ? '-' : deadline < now ? 'over' : duration(deadline - now),
    String(gaps.length),
  ])
  const titles = ['zone', 'exported until', 'lag', 'closed, not read', 'time left', 'gaps']
  const table = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...table.map((row) => defined(row[column]).length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(defined(widths[column])))
      .join('  ')
      .trimEnd(),
  )
  const lost = zones.flatMap(({ gaps }) =>
    gaps.map(({ zone, from, to, reason }) => `zone ${zone}: lost ${iso(from)} to ${iso(to)}: ${reason}`),
  )
  const filled = zones.flatMap(({ zone, backfilled: of }) =>
    of ? [`zone ${zone}: backfilled ${of.windows} windows between ${iso(of.from)} and ${iso(of.to)}`] : [],
  )
  return `${[...lines, ...filled, ...lost].join('\n')}\n`
}

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** Formats a duration to the minute, which is precise enough to act on. */
function duration(ms: number | undefined): string {
  if (ms === undefined) return '-'
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? formatDuration(minutes * 60_000).replace(/^0ms$/, '0m')
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`
}
