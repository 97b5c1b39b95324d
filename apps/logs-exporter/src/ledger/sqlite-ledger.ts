import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { defined } from '@cdn/kit/defined'
import { LedgerError, messageOf } from '../errors.ts'
import type { Gap, Ledger, WindowState } from './ledger.ts'

/**
 * `start` and `end` mean `from` and `to`, which are SQL keywords. Times are rounded to whole ms since 1970. The end comes first in
 * the primary key, because queries select the newest or the oldest windows. `looked_at` and `look_due` hold `checkedAt` and
 * `recheckDue`; existing files have these column names.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS zone (zone TEXT PRIMARY KEY, position INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS window (
    zone TEXT, start INTEGER, end INTEGER, rows INTEGER, next_revision INTEGER NOT NULL, source TEXT NOT NULL,
    looked_at INTEGER NOT NULL, look_due INTEGER, PRIMARY KEY (zone, end, start)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS look ON window (zone, look_due) WHERE look_due IS NOT NULL;
  CREATE TABLE IF NOT EXISTS gap (
    zone TEXT, start INTEGER, end INTEGER, reason TEXT NOT NULL, noticed_at INTEGER NOT NULL, PRIMARY KEY (zone, start)
  ) STRICT, WITHOUT ROWID;
`

/** `FULL` makes each commit durable. The position must never be ahead of a segment, and must not be lost after its segment. */
const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;'

const isOther = 'zone NOT IN (SELECT value FROM json_each(?))'
const windowColumns = 'zone, start, end, rows, next_revision, source, looked_at, look_due'

/**
 * Creates a ledger in SQLite. The lock of the folder excludes other processes.
 *
 * @param database open; the ledger takes ownership
 */
export function createSqliteLedger(database: DatabaseSync): Ledger {
  database.exec(pragmas + schema)
  const sql = {
    position: database.prepare('SELECT position FROM zone WHERE zone = ?'),
    begin: database.prepare(
      'INSERT INTO zone (zone, position) VALUES (?, ?) ON CONFLICT (zone) DO UPDATE SET position = excluded.position',
    ),
    windows: database.prepare(
      `SELECT ${windowColumns} FROM window WHERE zone = ? AND end > ? AND start < ? ORDER BY start`,
    ),
    // Selects keys from the index alone: after a downtime thousands of windows are due, but a cycle takes only a few.
    due: database.prepare(
      `SELECT ${windowColumns} FROM window WHERE (zone, end, start) IN
       (SELECT zone, end, start FROM window WHERE zone = ? AND look_due <= ? ORDER BY start LIMIT ?) ORDER BY start`,
    ),
    nextRecheck: database.prepare('SELECT min(look_due) AS due FROM window WHERE zone = ? AND look_due IS NOT NULL'),
    record: database.prepare(`INSERT OR REPLACE INTO window (${windowColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    follows: database.prepare(
      `SELECT max(end) AS end FROM (SELECT end FROM window WHERE zone = :zone AND start <= :at AND end > :at
       UNION ALL SELECT end FROM gap WHERE zone = :zone AND start <= :at AND end > :at)`,
    ),
    move: database.prepare('UPDATE zone SET position = ? WHERE zone = ?'),
    gaps: database.prepare('SELECT zone, start, end, reason, noticed_at FROM gap WHERE zone = ? ORDER BY start'),
    touching: database.prepare(
      'SELECT min(start) AS start, max(end) AS end FROM gap WHERE zone = ? AND end >= ? AND start <= ?',
    ),
    dropGaps: database.prepare('DELETE FROM gap WHERE zone = ? AND end >= ? AND start <= ?'),
    gap: database.prepare('INSERT INTO gap VALUES (?, ?, ?, ?, ?)'),
    forgetWindows: database.prepare('DELETE FROM window WHERE zone = ? AND end < ?'),
    dropLater: database.prepare('DELETE FROM window WHERE zone = ? AND end > ?'),
    dropLaterGaps: database.prepare('DELETE FROM gap WHERE zone = ? AND max(end, noticed_at) > ?'),
    dropPosition: database.prepare('UPDATE zone SET position = NULL WHERE zone = ?'),
    recheckLater: database.prepare(
      'UPDATE window SET looked_at = end, look_due = end WHERE zone = ? AND looked_at > ?',
    ),
    keepZones: database.prepare(`DELETE FROM zone WHERE ${isOther}`),
    keepWindows: database.prepare(`DELETE FROM window WHERE ${isOther}`),
  }

  /** Writes the changes to disk, completely or not at all. @throws LedgerError */
  function commit(change: () => void): void {
    try {
      database.exec('BEGIN IMMEDIATE')
      change()
      database.exec('COMMIT')
    } catch (cause) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // If the disk is full, the transaction has already ended.
      }
      throw new LedgerError(
        `The ledger cannot be written: ${messageOf(cause)}. No data is lost; the exporter retries.`,
        { cause },
      )
    }
  }

  function moveOn(zone: string): void {
    const at = optional(sql.position.get(zone)?.['position'])
    if (at === undefined) return
    let position = at
    for (;;) {
      const end = optional(sql.follows.get({ zone, at: position })?.['end'])
      if (end === undefined) break
      position = end
    }
    if (position !== at) sql.move.run(position, zone)
  }

  return {
    position: async (zone) => optional(sql.position.get(zone)?.['position']),
    async begin(zone, from) {
      commit(() => {
        sql.begin.run(zone, from)
        moveOn(zone)
      })
    },
    windows: async (zone, from, to) => sql.windows.all(zone, from, to).map(toWindow),
    due: async (zone, at, limit) => sql.due.all(zone, at, limit).map(toWindow),
    nextRecheck: async (zone) => optional(sql.nextRecheck.get(zone)?.['due']),
    async record({ zone, from, to, rows, nextRevision, source, checkedAt, recheckDue }) {
      commit(() => {
        const due = recheckDue === undefined ? null : Math.ceil(recheckDue)
        sql.record.run(zone, from, to, rows ?? null, nextRevision, source, Math.floor(checkedAt), due)
        moveOn(zone)
      })
    },
    gaps: async (zone) => sql.gaps.all(zone).map(toGap),
    async recordGap({ zone, from, to, reason, noticedAt }) {
      commit(() => {
        const { start, end } = defined(sql.touching.get(zone, from, to)) // an aggregate always has a row
        sql.dropGaps.run(zone, from, to)
        const whole = [Math.min(from, optional(start) ?? from), Math.max(to, optional(end) ?? to)] as const
        sql.gap.run(zone, ...whole, reason, Math.floor(noticedAt))
        moveOn(zone)
      })
    },
    async forget(zone, before) {
      commit(() => sql.forgetWindows.run(zone, before))
    },
    async forgetBeyond(zone, at) {
      let isChanged = false
      commit(() => {
        const change = (statement: StatementSync) => Number(statement.run(zone, at).changes)
        const dropped = change(sql.dropLater) + change(sql.dropLaterGaps)
        const isMoved = dropped > 0 || (optional(sql.position.get(zone)?.['position']) ?? 0) > at
        if (isMoved) sql.dropPosition.run(zone)
        isChanged = change(sql.recheckLater) > 0 || isMoved
      })
      return isChanged
    },
    async keepOnly(zones) {
      commit(() => {
        for (const drop of [sql.keepZones, sql.keepWindows]) drop.run(JSON.stringify(zones))
      })
    },
    close: async () => database.close(),
  }
}

type Row = Record<string, SQLOutputValue>

function toWindow(row: Row): WindowState {
  const { zone, start, end, rows, next_revision, source, looked_at, look_due } = row
  return {
    zone: String(zone),
    from: Number(start),
    to: Number(end),
    rows: optional(rows),
    nextRevision: Number(next_revision),
    source: source === 'v1' ? 'v1' : 'v2',
    checkedAt: Number(looked_at),
    recheckDue: optional(look_due),
  }
}

function toGap({ zone, start, end, reason, noticed_at }: Row): Gap {
  return {
    zone: String(zone),
    from: Number(start),
    to: Number(end),
    reason: String(reason),
    noticedAt: Number(noticed_at),
  }
}

function optional(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
