import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../errors.ts'
import type { SegmentId } from '../segments/segment.ts'

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
 * The segments in the order in which the ledger recorded them, and the cursor of each delivery in that order. A segment is in the
 * order once, however often its window is recorded.
 */
export interface Cursors {
  /** Names the deliveries. A new one starts with the oldest known segment. Forgets the cursors of all others. */
  keepDeliveries(names: readonly string[]): Promise<void>
  /** The next segment of a delivery; undefined if it has sent all. */
  nextSegment(delivery: string): Promise<NextSegment | undefined>
  /** Moves a cursor into a segment. @param sent bytes of its lines that the receiver has; 'whole' moves to the next segment */
  moveCursor(delivery: string, segment: NextSegment, sent: number | 'whole'): Promise<void>
  /** The lag of each delivery, by name. */
  deliveryLags(): Promise<DeliveryLag[]>
}

/** `forgotten`: windows of a zone that end before this time are delivered or were never known; they are not delivered again. */
const schema = `
  CREATE TABLE IF NOT EXISTS segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL, "from" INTEGER NOT NULL, "to" INTEGER NOT NULL,
    revision INTEGER NOT NULL, UNIQUE (zone, "to", "from", revision)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS delivery (name TEXT PRIMARY KEY, number INTEGER NOT NULL, sent INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS forgotten (zone TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT;
`

/**
 * Creates the tables of the deliveries in the database of a ledger.
 *
 * @param commit runs a change in a transaction
 * @returns the cursors, and two parts of the ledger's own transactions: `add` records a segment, `forget` drops those of a zone
 *   that end before a time and that every delivery has sent
 */
export function createCursors(database: DatabaseSync, commit: (change: () => void) => void) {
  database.exec(schema)
  const sql = {
    add: database.prepare(
      `INSERT OR IGNORE INTO segment (zone, "from", "to", revision) SELECT :zone, :from, :to, :revision
       WHERE :to >= coalesce((SELECT before FROM forgotten WHERE zone = :zone), 0)`,
    ),
    forget: database.prepare(
      `DELETE FROM segment WHERE zone = ? AND "to" < ?
       AND number <= coalesce((SELECT min(number) FROM delivery), 9223372036854775807)`,
    ),
    forgotten: database.prepare('INSERT OR REPLACE INTO forgotten VALUES (?, ?)'),
    begin: database.prepare('INSERT OR IGNORE INTO delivery VALUES (?, 0, 0)'),
    keep: database.prepare('DELETE FROM delivery WHERE name NOT IN (SELECT value FROM json_each(?))'),
    next: database.prepare(
      `SELECT segment.*, delivery.sent FROM delivery JOIN segment ON segment.number > delivery.number
       WHERE name = ? ORDER BY segment.number LIMIT 1`,
    ),
    move: database.prepare('UPDATE delivery SET number = ?, sent = ? WHERE name = ?'),
    lags: database.prepare(
      `SELECT name AS delivery, count(segment.number) AS segments, min(segment."to") AS oldest
       FROM delivery LEFT JOIN segment ON segment.number > delivery.number GROUP BY name ORDER BY name`,
    ),
  }
  const cursors: Cursors = {
    async keepDeliveries(names) {
      commit(() => {
        sql.keep.run(JSON.stringify(names))
        for (const name of names) sql.begin.run(name)
      })
    },
    // Safe, here and below: the columns have the names and types of the fields.
    nextSegment: async (delivery) => sql.next.get(delivery) as unknown as NextSegment | undefined,
    async moveCursor(delivery, { number }, sent) {
      commit(() => {
        const { changes } =
          sent === 'whole' ? sql.move.run(number, 0, delivery) : sql.move.run(number - 1, sent, delivery)
        if (changes !== 1) throw new LedgerError(`the delivery ${delivery} has no cursor`)
      })
    },
    async deliveryLags() {
      const rows = sql.lags.all() as unknown as { delivery: string; segments: number; oldest: number | null }[]
      return rows.map(({ delivery, segments, oldest }) => ({ delivery, segments, oldest: oldest ?? undefined }))
    },
  }
  return {
    cursors,
    add: (segment: SegmentId) => void sql.add.run({ ...segment }),
    forget(zone: string, before: number): void {
      sql.forget.run(zone, before)
      sql.forgotten.run(zone, Math.floor(before))
    },
  }
}
