import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config/config.ts'
import { formatDuration } from '../config/units.ts'
import { type ZoneStatus, zoneStatus } from '../engine/status.ts'
import { openDatabase } from '../fleet/postgres/database.ts'
import { createFleetLedger } from '../fleet/postgres/ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createSqliteLedger } from '../ledger/sqlite-ledger.ts'
import { exitCodes } from './exit-codes.ts'
import { describeFleetError, planOf, readFleetUrl } from './runtime.ts'

/**
 * Says where each zone is, as the ledger says, whether or not a daemon works with it.
 *
 * @param out where it is said: a table, or with `json` one object a zone
 * @returns the exit code: 0, or 6 where ranges are lost
 */
export async function status(
  config: Config,
  json: boolean,
  env: NodeJS.ProcessEnv,
  out: { write(text: string): unknown },
): Promise<number> {
  const ledger = await openToRead(config, env)
  if (!ledger) {
    const place = config.fleet ? '' : `: there is no ledger in ${resolve(config.ledger)}`
    const nothing = config.zones.map((zone) => `${JSON.stringify({ zone, gaps: [] })}\n`).join('')
    out.write(json ? nothing : `Nothing was exported yet${place}.\n`)
    return exitCodes.done
  }
  try {
    const now = Date.now()
    const zones: ZoneStatus[] = []
    for (const zone of config.zones) zones.push(await zoneStatus(ledger, zone, now, planOf(config)))
    out.write(json ? zones.map((zone) => `${JSON.stringify(named(zone))}\n`).join('') : toTable(zones, now))
    return zones.some(({ gaps }) => gaps.length > 0) ? exitCodes.lost : exitCodes.done
  } finally {
    await ledger.close()
  }
}

async function openToRead({ fleet, ledger }: Config, env: NodeJS.ProcessEnv): Promise<Ledger | undefined> {
  if (fleet) {
    const database = openDatabase(await readFleetUrl(fleet.postgres, env), { connections: 1, patienceMs: 10_000 })
    const [tables] = await database.query<{ zones: string | null }>(begun).catch(async (error) => {
      await database.close()
      throw describeFleetError(error)
    })
    if (tables?.zones) return createFleetLedger(database, { patienceMs: 0 })
    await database.close()
    return undefined
  }
  const path = join(ledger, 'ledger.sqlite')
  return existsSync(path) ? createSqliteLedger(new DatabaseSync(path, { readOnly: true })) : undefined
}

const begun = `select to_regclass('cdn_logs_exporter.zones') as zones`

function named({ position, deadline, nextLook, gaps, backfilled, ...rest }: ZoneStatus) {
  return {
    ...rest,
    position: iso(position),
    deadline: iso(deadline),
    nextLook: iso(nextLook),
    gaps: gaps.map(({ from, to, reason, noticedAt }) => ({
      from: iso(from),
      to: iso(to),
      reason,
      noticedAt: iso(noticedAt),
    })),
    ...(backfilled && { backfilled: { ...backfilled, from: iso(backfilled.from), to: iso(backfilled.to) } }),
  }
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
  const table = [['zone', 'exported until', 'lag', 'settled and open', 'time left', 'gaps'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
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

/** To the minute: nobody acts on less. */
function duration(ms: number | undefined): string {
  if (ms === undefined) return '-'
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? formatDuration(minutes * 60_000).replace(/^0ms$/, '0m')
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`
}
