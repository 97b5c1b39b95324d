import type { Gap, Ledger, WindowState } from '../../ledger/ledger.ts'
import { FencedError } from '../fenced-error.ts'
import { type Database, isPassing } from './database.ts'

/** What the ledger of a fleet needs beside its database. */
export interface FleetLedgerOptions {
  /** For how long a statement is tried again while the database is away, in milliseconds. */
  readonly patienceMs: number
  /** Told of each failure that is waited out. */
  onTrouble?(error: unknown): void
  /** The clock of the limiter, in ms since 1970: `busyUntil` is in its time, and stored in that of the database. */
  now?(): number
}

/**
 * The ledger of a fleet: in PostgreSQL, where every worker finds it. Each write is one transaction that names its epoch; it
 * may be repeated, so a lost answer does no harm.
 *
 * @throws FencedError from each write whose epoch is over
 */
export function createFleetLedger(database: Database, options: FleetLedgerOptions): Ledger {
  const { now = () => performance.timeOrigin + performance.now() } = options

  async function ask<Row extends Record<string, unknown>>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const end = performance.now() + options.patienceMs
    for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
      try {
        return await database.query<Row>(text, values)
      } catch (error) {
        if (!isPassing(error) || performance.now() + pauseMs > end) throw error
        options.onTrouble?.(error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
  async function write(zone: string, epoch: number, text: string, values: readonly unknown[]): Promise<void> {
    await ask(text, values).catch((error) => {
      throw (error as { code?: unknown }).code === 'CDN01' ? new FencedError(zone, epoch) : error
    })
  }

  return {
    async position(zone) {
      const [row] = await ask<{ position: number | null }>(
        'select position from cdn_logs_exporter.zones where zone = $1',
        [zone],
      )
      return row?.position ?? undefined
    },
    begin: (zone, from, epoch) => write(zone, epoch, 'select cdn_logs_exporter.begin($1, $2, $3)', [zone, epoch, from]),
    async windows(zone, from, to) {
      const rows = await ask<WindowRow>(`${windows} and end_ms > $2 and start_ms < $3 order by start_ms`, [
        zone,
        from,
        to,
      ])
      return rows.map(toWindow)
    },
    async due(zone, at, most) {
      const rows = await ask<WindowRow>(`${windows} and look_due <= $2 order by start_ms limit $3`, [zone, at, most])
      return rows.map(toWindow)
    },
    async nextLook(zone) {
      const [row] = await ask<{ due: number | null }>(
        'select min(look_due) as due from cdn_logs_exporter.windows where zone = $1 and look_due is not null',
        [zone],
      )
      return row?.due ?? undefined
    },
    record({ zone, from, to, rows, nextRevision, source, lookedAt, lookDue }, _segment, epoch) {
      const values = [zone, to, from, rows ?? null, nextRevision, source, lookedAt, lookDue ?? null]
      return write(
        zone,
        epoch,
        'select cdn_logs_exporter.record($1, row($2, $3::float8, $4::float8, $5::float8, $6::int, $7, $8::float8, $9::float8)::cdn_logs_exporter.windows)',
        [epoch, ...values],
      )
    },
    async gaps(zone) {
      const rows = await ask<GapRow>(
        'select zone, start_ms, end_ms, reason, noticed_at from cdn_logs_exporter.gaps where zone = $1 order by start_ms',
        [zone],
      )
      return rows.map(toGap)
    },
    recordGap({ zone, from, to, reason, noticedAt }, epoch) {
      const values = [epoch, zone, to, from, reason, noticedAt]
      return write(
        zone,
        epoch,
        'select cdn_logs_exporter.record_gap($1, row($2, $3::float8, $4::float8, $5, $6::float8)::cdn_logs_exporter.gaps)',
        values,
      )
    },
    forget: (zone, before, epoch) =>
      write(zone, epoch, 'select cdn_logs_exporter.forget($1, $2, $3)', [zone, epoch, before]),
    async busyUntil(zone) {
      const [row] = await ask<{ epoch: string; ms: number | null }>(
        `select epoch, extract(epoch from quiet_until - clock_timestamp())::float8 * 1000 as ms
         from cdn_logs_exporter.zones where zone = $1`,
        [zone],
      )
      if (!row || Number(row.epoch) <= 1) return undefined
      return row.ms === null ? Number.POSITIVE_INFINITY : now() + row.ms
    },
    recordBusyUntil(zone, until, epoch) {
      const ms = Number.isFinite(until) ? Math.max(0, until - now()) : null
      return write(zone, epoch, 'select cdn_logs_exporter.keep_quiet($1, $2, $3)', [zone, epoch, ms])
    },
    close: () => database.close(),
  }
}

interface WindowRow extends Record<string, unknown> {
  readonly zone: string
  readonly start_ms: number
  readonly end_ms: number
  readonly rows: number | null
  readonly next_revision: number
  readonly source: 'v1' | 'v2'
  readonly looked_at: number
  readonly look_due: number | null
}

interface GapRow extends Record<string, unknown> {
  readonly zone: string
  readonly start_ms: number
  readonly end_ms: number
  readonly reason: string
  readonly noticed_at: number
}

const windows = `select zone, start_ms, end_ms, rows, next_revision, source, looked_at, look_due
  from cdn_logs_exporter.windows where zone = $1`

function toWindow(row: WindowRow): WindowState {
  return {
    zone: row.zone,
    from: row.start_ms,
    to: row.end_ms,
    rows: row.rows ?? undefined,
    nextRevision: row.next_revision,
    source: row.source,
    lookedAt: row.looked_at,
    lookDue: row.look_due ?? undefined,
  }
}

function toGap({ zone, start_ms, end_ms, reason, noticed_at }: GapRow): Gap {
  return { zone, from: start_ms, to: end_ms, reason, noticedAt: noticed_at }
}
