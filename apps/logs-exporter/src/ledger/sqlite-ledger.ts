import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { defined } from '@cdn/kit/defined'
import { LedgerError, messageOf } from '../errors.ts'
import { createCursors } from './cursors.ts'
import type { Gap, Ledger, WindowState } from './ledger.ts'

/** Columns have the names of the fields. Times are whole ms since 1970. `to` leads the key, because queries select by the end. */
const schema = `
  CREATE TABLE IF NOT EXISTS zone (zone TEXT PRIMARY KEY, position INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS window (
    zone TEXT, "from" INTEGER, "to" INTEGER, rows INTEGER, nextRevision INTEGER NOT NULL, source TEXT NOT NULL,
    checkedAt INTEGER NOT NULL, recheckDue INTEGER, PRIMARY KEY (zone, "to", "from")
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS due ON window (zone, recheckDue) WHERE recheckDue IS NOT NULL;
  CREATE TABLE IF NOT EXISTS gap (
    zone TEXT, "from" INTEGER, "to" INTEGER, reason TEXT NOT NULL, noticedAt INTEGER NOT NULL, PRIMARY KEY (zone, "from")
  ) STRICT, WITHOUT ROWID;
`

/** `FULL` makes each commit durable. The position must never be ahead of a segment, and must not be lost after its segment. */
const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;'

const isOther = 'zone NOT IN (SELECT value FROM json_each(?))'
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
    windows: database.prepare('SELECT * FROM window WHERE zone = ? AND "to" > ? AND "from" < ? ORDER BY "from"'),
    // Selects keys from the index alone: after a downtime thousands of windows are due, but a cycle takes only a few.
    due: database.prepare(
      `SELECT * FROM window WHERE (zone, "to", "from") IN
       (SELECT zone, "to", "from" FROM window WHERE zone = ? AND recheckDue <= ? ORDER BY "from" LIMIT ?) ORDER BY "from"`,
    ),
    nextRecheck: database.prepare(
      'SELECT min(recheckDue) AS due FROM window WHERE zone = ? AND recheckDue IS NOT NULL',
    ),
    nextRevision: database.prepare('SELECT nextRevision FROM window WHERE zone = ? AND "to" = ? AND "from" = ?'),
    record: database.prepare('INSERT OR REPLACE INTO window VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    follows: database.prepare(
      `SELECT max("to") AS "to" FROM (SELECT "to" FROM window WHERE zone = :zone AND "from" <= :at AND "to" > :at
       UNION ALL SELECT "to" FROM gap WHERE zone = :zone AND "from" <= :at AND "to" > :at)`,
    ),
    move: database.prepare('UPDATE zone SET position = ? WHERE zone = ?'),
    gaps: database.prepare('SELECT * FROM gap WHERE zone = ? ORDER BY "from"'),
    touching: database.prepare(
      'SELECT min("from") AS "from", max("to") AS "to" FROM gap WHERE zone = ? AND "to" >= ? AND "from" <= ?',
    ),
    dropGaps: database.prepare('DELETE FROM gap WHERE zone = ? AND "to" >= ? AND "from" <= ?'),
    gap: database.prepare('INSERT INTO gap VALUES (?, ?, ?, ?, ?)'),
    forgetWindows: database.prepare('DELETE FROM window WHERE zone = ? AND "to" < ?'),
    dropLater: database.prepare('DELETE FROM window WHERE zone = ? AND "to" > ?'),
    dropLaterGaps: database.prepare('DELETE FROM gap WHERE zone = ? AND max("to", noticedAt) > ?'),
    dropPosition: database.prepare('UPDATE zone SET position = NULL WHERE zone = ?'),
    recheckLater: database.prepare(
      'UPDATE window SET checkedAt = "to", recheckDue = "to" WHERE zone = ? AND checkedAt > ?',
    ),
    keepZones: database.prepare(`DELETE FROM zone WHERE ${isOther}`),
    keepWindows: database.prepare(`DELETE FROM window WHERE ${isOther}`),
  }

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

  const segments = createCursors(database, commit)

  function moveOn(zone: string): void {
    const at = optional(sql.position.get(zone)?.['position'])
    if (at === undefined) return
    let position = at
    for (;;) {
      const next = optional(sql.follows.get({ zone, at: position })?.['to'])
      if (next === undefined) break
      position = next
    }
    if (position !== at) sql.move.run(position, zone)
  }

  return {
    ...segments.cursors,
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
        const known = optional(sql.nextRevision.get(zone, to, from)?.['nextRevision']) ?? 0
        for (let revision = known; revision < nextRevision; revision++) segments.add({ zone, from, to, revision })
        sql.record.run(zone, from, to, rows ?? null, nextRevision, source, Math.floor(checkedAt), due)
        moveOn(zone)
      })
    },
    // Safe: the columns have the names and types of the fields.
    gaps: async (zone) => sql.gaps.all(zone).map((row) => ({ ...row }) as unknown as Gap),
    async recordGap({ zone, from, to, reason, noticedAt }) {
      commit(() => {
        const touching = defined(sql.touching.get(zone, from, to)) // an aggregate always has a row
        sql.dropGaps.run(zone, from, to)
        const whole = [
          Math.min(from, optional(touching['from']) ?? from),
          Math.max(to, optional(touching['to']) ?? to),
        ] as const
        sql.gap.run(zone, ...whole, reason, Math.floor(noticedAt))
        moveOn(zone)
      })
    },
    async forget(zone, before) {
      commit(() => {
        sql.forgetWindows.run(zone, before)
        segments.forget(zone, before)
      })
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

/** The columns have the names and types of the fields, except that SQLite has null for undefined. */
function toWindow(row: Record<string, SQLOutputValue>): WindowState {
  return { ...row, rows: optional(row['rows']), recheckDue: optional(row['recheckDue']) } as unknown as WindowState
}

function optional(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
