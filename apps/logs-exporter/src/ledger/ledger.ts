import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { LedgerError, messageOf } from '../errors.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import { isoTime, type SegmentId, type Window } from '../segments/segment.ts'

/** State of a window that was read at least once. */
export interface WindowState extends Window {
  /** Row count of the last read, including rejects. A count probe expects it. If undefined, the next recheck reads the window. */
  readonly rows: number | undefined
  /** Revision of the next segment. */
  readonly nextRevision: number
  /** Time of the last read or probe, in ms since 1970, by the platform's clock. */
  readonly checkedAt: number
  /** Time of the next recheck, in ms since 1970; undefined after the last one. */
  readonly recheckDue: number | undefined
}

/** A range that could not be read in time. It is recorded permanently. It may begin within a window that was partly read. */
export interface Gap extends Window {
  readonly reason: string
  readonly noticedAt: number
}

/** A segment that a delivery has not sent yet, or only in part. */
export interface NextSegment extends SegmentId {
  /** Position in the order in which the ledger recorded the segments. */
  readonly number: number
  /** Bytes of its lines that the receiver already has. */
  readonly sent: number
}

/** Segments that a delivery has not sent yet. */
export interface DeliveryLag {
  readonly delivery: string
  readonly segments: number
  /** End of the oldest window among them, in ms since 1970; undefined if there are none. */
  readonly oldest: number | undefined
}

/**
 * Columns have the names of the fields. Times are whole ms since 1970. `to` leads the key, because queries select by the end.
 * `segment` has the segments in the order in which they were recorded, and `delivery` the cursors in that order. `forgotten`: windows
 * of a zone that end before this time are delivered or were never known; they are not delivered again. `window.source` is not
 * read any more: older exporters wrote `v1` there, and their ledgers require the column.
 */
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
  CREATE TABLE IF NOT EXISTS segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL, "from" INTEGER NOT NULL, "to" INTEGER NOT NULL,
    revision INTEGER NOT NULL, UNIQUE (zone, "to", "from", revision)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS delivery (name TEXT PRIMARY KEY, number INTEGER NOT NULL, sent INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS forgotten (zone TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT;
`

/** `FULL` makes each commit durable. The position must never be ahead of a segment, and must not be lost after its segment. */
const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;'

const isOther = 'NOT IN (SELECT value FROM json_each(?))'

/**
 * An index of the windows that have segments in the sink, plus state that the sink cannot hold: empty windows, rechecks, gaps, and the
 * cursors of deliveries. What the ledger knows about segments can be rebuilt from the sink.
 */
export type Ledger = ReturnType<typeof createLedger>

/**
 * Creates a ledger in SQLite. The lock of the folder excludes other processes.
 *
 * @param database open; the ledger takes ownership
 */
export function createLedger(database: DatabaseSync) {
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
    record: database.prepare("INSERT OR REPLACE INTO window VALUES (?, ?, ?, ?, ?, 'v2', ?, ?)"),
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
    keepZones: database.prepare(`DELETE FROM zone WHERE zone ${isOther}`),
    keepWindows: database.prepare(`DELETE FROM window WHERE zone ${isOther}`),
    addSegment: database.prepare(
      `INSERT OR IGNORE INTO segment (zone, "from", "to", revision) SELECT :zone, :from, :to, :revision
       WHERE :to >= coalesce((SELECT before FROM forgotten WHERE zone = :zone), 0)`,
    ),
    forgetSegments: database.prepare(
      `DELETE FROM segment WHERE zone = ? AND "to" < ?
       AND number <= coalesce((SELECT min(number) FROM delivery), 9223372036854775807)`,
    ),
    forgotten: database.prepare('INSERT OR REPLACE INTO forgotten VALUES (?, ?)'),
    beginDelivery: database.prepare('INSERT OR IGNORE INTO delivery VALUES (?, 0, 0)'),
    keepDeliveries: database.prepare(`DELETE FROM delivery WHERE name ${isOther}`),
    nextSegment: database.prepare(
      `SELECT segment.*, delivery.sent FROM delivery JOIN segment ON segment.number > delivery.number
       WHERE name = ? ORDER BY segment.number LIMIT 1`,
    ),
    moveCursor: database.prepare('UPDATE delivery SET number = ?, sent = ? WHERE name = ?'),
    lags: database.prepare(
      `SELECT name AS delivery, count(segment.number) AS segments, min(segment."to") AS oldest
       FROM delivery LEFT JOIN segment ON segment.number > delivery.number GROUP BY name ORDER BY name`,
    ),
  }

  /** Makes a change a transaction. */
  const transaction =
    <Args extends readonly unknown[], T>(change: (...args: Args) => T) =>
    async (...args: Args): Promise<T> => {
      try {
        database.exec('BEGIN IMMEDIATE')
        const result = change(...args)
        database.exec('COMMIT')
        return result
      } catch (cause) {
        try {
          database.exec('ROLLBACK')
        } catch {
          // If the disk is full, the transaction has already ended.
        }
        const sentence = `The ledger cannot be written: ${messageOf(cause)}. No data is lost; the exporter retries.`
        throw new LedgerError(sentence, { cause })
      }
    }

  const positionOf = (zone: string) => optional(sql.position.get(zone)?.['position'])
  function moveOn(zone: string): void {
    for (let position = positionOf(zone); position !== undefined; ) {
      const next = optional(sql.follows.get({ zone, at: position })?.['to'])
      if (next !== undefined) sql.move.run(next, zone)
      position = next
    }
  }

  return {
    /** Start of the oldest open window: from `begin` to here, windows and gaps follow without a hole. Undefined for a new zone. */
    position: async (zone: string) => positionOf(zone),
    /** Sets the start of a zone. If windows and gaps are already recorded there, the position moves past them. */
    begin: transaction((zone: string, from: number) => {
      sql.begin.run(zone, from)
      moveOn(zone)
    }),
    /** Windows that overlap `[from, to)`, in order. */
    windows: async (zone: string, from: number, to: number) => sql.windows.all(zone, from, to).map(toWindow),
    /** Windows whose recheck is due at `at`, oldest first. Returns at most `limit` windows. */
    due: async (zone: string, at: number, limit: number) => sql.due.all(zone, at, limit).map(toWindow),
    /** The earliest `recheckDue` of a zone's windows. */
    nextRecheck: async (zone: string) => optional(sql.nextRecheck.get(zone)?.['due']),
    /**
     * Records a window as read, after its segment is published if it has rows. Replaces the window's earlier state. If the position
     * lies in the window (`from <= position < to`), the position moves to the end of the window, then past all windows and gaps that
     * follow without a hole. A zone without a position stays without one. In the same transaction, revisions up to `nextRevision` that
     * the ledger did not know become the next segments of every delivery.
     */
    record: transaction((state: WindowState) => {
      const { zone, from, to, rows, nextRevision, checkedAt, recheckDue } = state
      const due = recheckDue === undefined ? null : Math.ceil(recheckDue)
      const known = optional(sql.nextRevision.get(zone, to, from)?.['nextRevision']) ?? 0
      for (let revision = known; revision < nextRevision; revision++) sql.addSegment.run({ zone, from, to, revision })
      sql.record.run(zone, from, to, rows ?? null, nextRevision, Math.floor(checkedAt), due)
      moveOn(zone)
    }),
    /** The gaps in order. Adjacent gaps are merged. */
    // Safe, here and below: the columns have the names and types of the fields.
    gaps: async (zone: string) => sql.gaps.all(zone).map((row) => ({ ...row }) as unknown as Gap),
    /** Records a gap. Moves the position as `record` does. */
    recordGap: transaction(({ zone, from, to, reason, noticedAt }: Gap) => {
      const touching = sql.touching.get(zone, from, to)
      sql.dropGaps.run(zone, from, to)
      const start = Math.min(from, optional(touching?.['from']) ?? from)
      const end = Math.max(to, optional(touching?.['to']) ?? to)
      sql.gap.run(zone, start, end, reason, Math.floor(noticedAt))
      moveOn(zone)
    }),
    /** Forgets windows that ended before a time. The position, the gaps, and segments that a delivery has not sent yet stay. */
    forget: transaction((zone: string, before: number) => {
      sql.forgetWindows.run(zone, before)
      sql.forgetSegments.run(zone, before)
      sql.forgotten.run(zone, Math.floor(before))
    }),
    /**
     * Forgets windows that end after `at`, and gaps that end or were noticed after it. If there are any, or if the position is after
     * `at`, forgets the position, too. Windows that were last read after `at` become due for a recheck.
     *
     * @returns whether anything changed
     */
    forgetBeyond: transaction((zone: string, at: number) => {
      const [windows, gaps] = [sql.dropLater.run(zone, at), sql.dropLaterGaps.run(zone, at)]
      const isMoved = Boolean(windows.changes) || Boolean(gaps.changes) || (positionOf(zone) ?? 0) > at
      if (isMoved) sql.dropPosition.run(zone)
      return Boolean(sql.recheckLater.run(zone, at).changes) || isMoved
    }),
    /** Forgets all other zones, but keeps their gaps. If such a zone returns later, it starts with the segments in the sink. */
    keepOnly: transaction((zones: readonly string[]) => {
      for (const drop of [sql.keepZones, sql.keepWindows]) drop.run(JSON.stringify(zones))
    }),
    /** Names the deliveries. A new one starts with the oldest known segment. Forgets the cursors of all others. */
    keepDeliveries: transaction((names: readonly string[]) => {
      sql.keepDeliveries.run(JSON.stringify(names))
      for (const name of names) sql.beginDelivery.run(name)
    }),
    /** The next segment of a delivery; undefined if it has sent all. */
    nextSegment: async (delivery: string) => sql.nextSegment.get(delivery) as unknown as NextSegment | undefined,
    /** Moves a cursor into a segment. @param sent bytes of its lines that the receiver has; 'whole' moves to the next segment */
    moveCursor: transaction((delivery: string, { number }: NextSegment, sent: number | 'whole') => {
      const place = sent === 'whole' ? ([number, 0] as const) : ([number - 1, sent] as const)
      if (!sql.moveCursor.run(...place, delivery).changes)
        throw new LedgerError(`the delivery ${delivery} has no cursor`)
    }),
    /** The lag of each delivery, by name. */
    deliveryLags: async () =>
      sql.lags.all().map((row) => ({ ...row, oldest: optional(row['oldest']) }) as unknown as DeliveryLag),
    close: async () => database.close(),
  }
}

/** The columns have the names and types of the fields, except that SQLite has null for undefined. */
function toWindow({ source: _, ...row }: Record<string, SQLOutputValue>): WindowState {
  return { ...row, rows: optional(row['rows']), recheckDue: optional(row['recheckDue']) } as unknown as WindowState
}

function optional(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}

/**
 * Wraps a ledger so that it rejects entries in the platform's future, whatever the local clock says. These are windows and gaps
 * that end after the latest `Date` of a response, and positions after it. No data is lost; the exporter retries.
 */
export function withinTime(ledger: Ledger, reader: Pick<WindowReader, 'shownTime'>): Ledger {
  const insist = (zone: string, to: number) => {
    const shown = reader.shownTime()
    if (to <= shown) return
    const latest = Number.isFinite(shown) ? isoTime(shown) : 'none'
    throw new LedgerError(
      `Zone ${zone}: ${isoTime(to)} lies beyond the latest time that the platform has shown (${latest}), so the ledger does not record it yet.`,
    )
  }
  return {
    ...ledger,
    async begin(zone, from) {
      insist(zone, from)
      return ledger.begin(zone, from)
    },
    async record(state) {
      insist(state.zone, state.to)
      return ledger.record(state)
    },
    async recordGap(gap) {
      insist(gap.zone, gap.to)
      return ledger.recordGap(gap)
    },
  }
}
