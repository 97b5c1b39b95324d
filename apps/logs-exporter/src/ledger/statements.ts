import type { DatabaseSync } from 'node:sqlite'

/**
 * Columns have the names of the fields. Times are whole ms since 1970. `to` leads the key, because queries select by the end.
 * - `openGap` has the parts of recorded windows that cannot be read, `failure` the zones that fail now.
 * - `segment` has the segments in the order in which they were recorded, and `cursor` the place of standard output in that order.
 * - `forgotten`: windows of a zone that end before this time are written to standard output or were never known; they are not written
 *   again.
 */
export const schema = `
  CREATE TABLE IF NOT EXISTS zone (zone TEXT PRIMARY KEY, position INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS window (
    zone TEXT, "from" INTEGER, "to" INTEGER, rows INTEGER, nextRevision INTEGER NOT NULL,
    checkedAt INTEGER NOT NULL, recheckDue INTEGER, PRIMARY KEY (zone, "to", "from")
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS due ON window (zone, recheckDue) WHERE recheckDue IS NOT NULL;
  CREATE TABLE IF NOT EXISTS gap (
    zone TEXT, "from" INTEGER, "to" INTEGER, reason TEXT NOT NULL, noticedAt INTEGER NOT NULL, PRIMARY KEY (zone, "from")
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS openGap (
    zone TEXT, "from" INTEGER, "to" INTEGER, reason TEXT NOT NULL, PRIMARY KEY (zone, "from")
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS failure (zone TEXT PRIMARY KEY, reason TEXT NOT NULL, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL, "from" INTEGER NOT NULL, "to" INTEGER NOT NULL,
    revision INTEGER NOT NULL, UNIQUE (zone, "to", "from", revision)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS cursor (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, sent INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS forgotten (zone TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT;
`

/** `FULL` makes each commit durable, so that a power failure does not lose a position whose segments are in the sink. */
export const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;'

const isOther = 'NOT IN (SELECT value FROM json_each(?))'

export type Statements = ReturnType<typeof prepareStatements>

/** Prepares the statements of a ledger. The tables must exist. */
export function prepareStatements(database: DatabaseSync) {
  return {
    zones: database.prepare(
      'SELECT zone FROM zone UNION SELECT zone FROM window UNION SELECT zone FROM failure ORDER BY zone',
    ),
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
    record: database.prepare('INSERT OR REPLACE INTO window VALUES (?, ?, ?, ?, ?, ?, ?)'),
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
    openGaps: database.prepare('SELECT "from", "to", reason FROM openGap WHERE zone = ? ORDER BY "from"'),
    openGap: database.prepare('INSERT OR REPLACE INTO openGap VALUES (?, ?, ?, ?)'),
    dropOpenGaps: database.prepare('DELETE FROM openGap WHERE zone = ? AND "from" < ? AND "to" > ?'),
    keepOpenGaps: database.prepare(`DELETE FROM openGap WHERE zone ${isOther}`),
    failure: database.prepare('SELECT reason, since FROM failure WHERE zone = ?'),
    setFailure: database.prepare('INSERT OR REPLACE INTO failure VALUES (?, ?, ?)'),
    dropFailure: database.prepare('DELETE FROM failure WHERE zone = ?'),
    keepFailures: database.prepare(`DELETE FROM failure WHERE zone ${isOther}`),
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
    restartSegment: database.prepare(
      `UPDATE cursor SET sent = 0 WHERE (SELECT min(number) FROM segment WHERE number > cursor.number)
       IN (SELECT number FROM segment WHERE zone = ? AND "to" = ? AND "from" = ? AND revision >= ?)`,
    ),
    forgetRevisions: database.prepare(
      'DELETE FROM segment WHERE zone = ? AND "to" = ? AND "from" = ? AND revision >= ?',
    ),
    forgetSegments: database.prepare(
      `DELETE FROM segment WHERE zone = ? AND "to" < ?
       AND number <= coalesce((SELECT number FROM cursor), 9223372036854775807)`,
    ),
    forgotten: database.prepare('INSERT OR REPLACE INTO forgotten VALUES (?, ?)'),
    beginCursor: database.prepare('INSERT OR IGNORE INTO cursor VALUES (1, 0, 0)'),
    dropCursor: database.prepare('DELETE FROM cursor'),
    nextSegment: database.prepare(
      `SELECT segment.*, cursor.sent FROM cursor JOIN segment ON segment.number > cursor.number
       ORDER BY segment.number LIMIT 1`,
    ),
    moveCursor: database.prepare('UPDATE cursor SET number = ?, sent = ?'),
    stdoutLag: database.prepare(
      `SELECT count(segment.number) AS segments, min(segment."to") AS oldest
       FROM cursor LEFT JOIN segment ON segment.number > cursor.number GROUP BY cursor.id`,
    ),
  }
}
