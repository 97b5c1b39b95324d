import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { messageOf } from '@cdn/kit/error-message'
import { LedgerError } from '../errors.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import { type ExportRange, isoTime, type SegmentId, type Window } from '../segments/segment.ts'
import { pragmas, prepareStatements, type Statements, schema } from './statements.ts'

/** State of a window that was read at least once. */
export interface WindowState extends Window {
  /**
   * Row count of the last read, including rejects, and of the rows in the sink that a shrunk read lacked. A count probe expects it.
   * If undefined, the next recheck reads the window.
   */
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

/** A part of a recorded window that cannot be read. It is read again with its window, and becomes a gap at the deadline. */
export interface OpenGap extends ExportRange {
  readonly reason: string
}

/** What `record` stores: the state of a window, and what belongs to it. */
export interface WindowRecord extends WindowState {
  /** Replaces the open gaps of an earlier read; without it, they stay. */
  readonly openGaps?: readonly OpenGap[]
  /** Gaps of the window, as for `recordGap`. */
  readonly lost?: readonly Gap[]
  /** A revision that was gone, and is published again. It and later ones are written to standard output again, from their start. */
  readonly restored?: number | undefined
}

/** A segment that is not on standard output yet, or only in part. */
export interface NextSegment extends SegmentId {
  /** Position in the order in which the ledger recorded the segments. */
  readonly number: number
  /** Bytes of its lines that are already written. */
  readonly sent: number
}

/** Segments that are not on standard output yet. */
export interface StdoutLag {
  readonly segments: number
  /** End of the oldest window among them, in ms since 1970; undefined if there are none. */
  readonly oldest: number | undefined
}

/**
 * An index of the windows that have segments in the sink, plus state that the sink cannot hold: empty windows, rechecks, gaps, and the
 * cursor of standard output. What the ledger knows about segments can be rebuilt from the sink.
 */
export type Ledger = ReturnType<typeof createLedger>

/**
 * Creates a ledger in SQLite. The lock of the folder excludes other processes.
 *
 * @param database open; the ledger takes ownership
 */
export function createLedger(database: DatabaseSync) {
  database.exec(pragmas + schema)
  const sql = prepareStatements(database)
  const store: LedgerDatabase = { sql, transaction: transactionsOf(database) }
  return {
    ...windowsOf(store),
    ...gapsOf(store),
    ...failuresOf(store),
    ...retentionOf(store),
    ...cursorOf(store),
    close: async () => database.close(),
  }
}

interface LedgerDatabase {
  readonly sql: Statements
  readonly transaction: ReturnType<typeof transactionsOf>
}

function transactionsOf(database: DatabaseSync) {
  return <Args extends readonly unknown[], T>(change: (...args: Args) => T) =>
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
}

function positionOf(sql: Statements, zone: string): number | undefined {
  return optional(sql.position.get(zone)?.['position'])
}

/** Moves the position of a zone past the windows and gaps that follow it without a hole. */
function moveOn(sql: Statements, zone: string): void {
  for (let position = positionOf(sql, zone); position !== undefined; ) {
    const next = optional(sql.follows.get({ zone, at: position })?.['to'])
    if (next !== undefined) sql.move.run(next, zone)
    position = next
  }
}

function windowsOf({ sql, transaction }: LedgerDatabase) {
  return {
    /** The zones that have a position, windows or a failure. */
    zones: async () => sql.zones.all().map(({ zone }) => String(zone)),
    /** Start of the oldest open window: from `begin` to here, windows and gaps follow without a hole. Undefined for a new zone. */
    position: async (zone: string) => positionOf(sql, zone),
    /** Sets the start of a zone. If windows and gaps are already recorded there, the position moves past them. */
    begin: transaction((zone: string, from: number) => {
      sql.begin.run(zone, from)
      moveOn(sql, zone)
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
     * the ledger did not know become the next segments for standard output.
     */
    record: transaction((state: WindowRecord) => {
      const { zone, from, to, rows, nextRevision, checkedAt, recheckDue, restored = nextRevision } = state
      const due = recheckDue === undefined ? null : Math.ceil(recheckDue)
      const known = optional(sql.nextRevision.get(zone, to, from)?.['nextRevision']) ?? 0
      // A revision that left the sink may come again with other rows.
      sql.restartSegment.run(zone, to, from, restored)
      sql.forgetRevisions.run(zone, to, from, restored)
      for (let revision = Math.min(known, restored); revision < nextRevision; revision++)
        sql.addSegment.run({ zone, from, to, revision })
      sql.record.run(zone, from, to, rows ?? null, nextRevision, Math.floor(checkedAt), due)
      if (state.openGaps) sql.dropOpenGaps.run(zone, to, from)
      for (const { from, to, reason } of state.openGaps ?? []) sql.openGap.run(zone, from, to, reason)
      for (const gap of state.lost ?? []) addGap(sql, gap)
      moveOn(sql, zone)
    }),
  }
}

function gapsOf({ sql, transaction }: LedgerDatabase) {
  return {
    /** The gaps in order. Gaps that overlap or touch are merged, with the latest reason. */
    // Safe, here and below: the columns have the names and types of the fields.
    gaps: async (zone: string) => sql.gaps.all(zone).map((row) => ({ ...row }) as unknown as Gap),
    /** The open gaps of a zone, in order. */
    openGaps: async (zone: string) => sql.openGaps.all(zone).map((row) => ({ ...row }) as unknown as OpenGap),
    /** Records a gap, also in place of open gaps. Moves the position as `record` does. */
    recordGap: transaction((gap: Gap) => {
      addGap(sql, gap)
      moveOn(sql, gap.zone)
    }),
  }
}

function addGap(sql: Statements, { zone, from, to, reason, noticedAt }: Gap): void {
  sql.dropOpenGaps.run(zone, to, from)
  const touching = sql.touching.get(zone, from, to)
  sql.dropGaps.run(zone, from, to)
  const start = Math.min(from, optional(touching?.['from']) ?? from)
  const end = Math.max(to, optional(touching?.['to']) ?? to)
  sql.gap.run(zone, start, end, reason, Math.floor(noticedAt))
}

/** Why a zone is not exported now. */
export interface ZoneFailure {
  readonly reason: string
  /** Time of the first of its consecutive failures, in ms since 1970. */
  readonly since: number
}

function failuresOf({ sql, transaction }: LedgerDatabase) {
  return {
    failure: async (zone: string) => sql.failure.get(zone) as unknown as ZoneFailure | undefined,
    /** @param failure undefined after a success */
    setFailure: transaction((zone: string, failure: ZoneFailure | undefined) => {
      if (failure) sql.setFailure.run(zone, failure.reason, Math.floor(failure.since))
      else sql.dropFailure.run(zone)
    }),
  }
}

function retentionOf({ sql, transaction }: LedgerDatabase) {
  return {
    /** Forgets windows that ended before a time. The position, the gaps, and segments that are not on standard output yet stay. */
    forget: transaction((zone: string, before: number) => {
      sql.forgetWindows.run(zone, before)
      sql.dropOpenGaps.run(zone, before, 0)
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
      sql.dropOpenGaps.run(zone, Number.MAX_SAFE_INTEGER, at)
      const isMoved = Boolean(windows.changes) || Boolean(gaps.changes) || (positionOf(sql, zone) ?? 0) > at
      if (isMoved) sql.dropPosition.run(zone)
      return Boolean(sql.recheckLater.run(zone, at).changes) || isMoved
    }),
    /** Forgets all other zones, but keeps their gaps. If such a zone returns later, it starts with the segments in the sink. */
    keepOnly: transaction((zones: readonly string[]) => {
      for (const drop of [sql.keepZones, sql.keepWindows, sql.keepOpenGaps, sql.keepFailures])
        drop.run(JSON.stringify(zones))
    }),
  }
}

function cursorOf({ sql, transaction }: LedgerDatabase) {
  return {
    /** Creates the cursor of standard output before the oldest known segment, unless there is one; with `isWritten` false, deletes the cursor. */
    setStdout: transaction((isWritten: boolean) => (isWritten ? sql.beginCursor : sql.dropCursor).run()),
    /** The next segment for standard output; undefined if all are written. */
    nextSegment: async () => sql.nextSegment.get() as unknown as NextSegment | undefined,
    /** Moves the cursor into a segment. @param sent bytes of its lines that are written; 'whole' moves to the next segment */
    moveCursor: transaction(({ number }: NextSegment, sent: number | 'whole') => {
      const place = sent === 'whole' ? ([number, 0] as const) : ([number - 1, sent] as const)
      sql.moveCursor.run(...place)
    }),
    /** The lag of standard output; undefined without a cursor. */
    async stdoutLag(): Promise<StdoutLag | undefined> {
      const row = sql.stdoutLag.get()
      return row && { segments: Number(row['segments']), oldest: optional(row['oldest']) }
    },
  }
}

/** The columns have the names and types of the fields, except that SQLite has null for undefined. */
function toWindow(row: Record<string, SQLOutputValue>): WindowState {
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
