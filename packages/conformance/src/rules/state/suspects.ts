/** Who is suspect of what a read shows: the writes since the register was last certain. */
import type { HistoryEntry } from '../../exchange/history.ts'
import type { Change, Known } from './possible-values.ts'
import type { Register, View, Write } from './registers.ts'

/**
 * What a read shows that it cannot show: a write that must have no effect has one (`forbidden`), a valid one has none (`missing`), or it
 * changes another register (`other`), or its effect does not last (`not-lasting`); two views differ (`views`); an item that does not exist is
 * changed (`absent`), or its read has the status 410 instead of 404 (`status`). `lost`: a valid write had no effect, but the same one has it when it
 * is sent again.
 */
export type How = 'forbidden' | 'missing' | 'lost' | 'other' | 'not-lasting' | 'views' | 'absent' | 'status'

/** A read that no correct server can have answered. */
export interface StateViolation {
  readonly how: How
  readonly register: Register
  readonly view: View
  /** The possible values, as texts. */
  readonly expected: readonly string[]
  readonly seen: string
  /** The writes of which one is the reason. */
  readonly suspects: readonly Write[]
  readonly at: HistoryEntry
}

/** An impossible value, and what was known before it. */
export interface Impossible {
  readonly register: Register
  readonly value: unknown
  /** All changes of the register before the read, and those since `base`. */
  readonly all: readonly Change[]
  readonly since: readonly Change[]
  readonly base: Known | undefined
  /** Whether `base` is from the other view. */
  readonly isOfOtherView: boolean
  /** All writes since the last read of the item, and those before the read. */
  readonly recent: readonly Write[]
  readonly before: readonly Write[]
  /** Whether a read showed an effect of a write, or that it has none. */
  readonly isShown: (write: Write) => boolean
  /** What the other view last showed, if it was another value. */
  readonly unchanged: Known | undefined
}

/** Returns how an impossible value came about, and the writes of which one is the reason; undefined for a counter or a time. */
export function reasonOf(seen: Impossible): readonly [How, readonly Write[]] | undefined {
  const { register, value, all, since, base, isOfOtherView, before, isShown, unchanged } = seen
  // A write after which the other view still showed another value did not do it, unless no other suspect is left.
  const isLater = ({ entry }: Write) => !unchanged || entry.end > unchanged.at.start
  const later = seen.recent.filter(isLater)
  const recent = later.length > 0 ? later : seen.recent
  const refused = writesOf(since.filter(({ write, to }) => write.force === 'never' && to === value))
  const forbidden = refused.filter((write) => later.length === 0 || isLater(write))
  const unseen = writesOf(since.filter(({ write, to }) => write.force === 'must' && to !== value && !isShown(write)))
  // If the value is the one before, the valid write had no effect, and the refused one had nothing to change.
  const isAsBefore = unseen.length > 0 && base?.value === value
  if (forbidden.length > 0 && !isAsBefore) return ['forbidden', forbidden]
  // The last one should show; another write since then may have undone it.
  if (unseen.length > 0) return ['missing', [...new Set([...unseen.slice(-1), ...recent])]]
  if (recent.length > 0) return [isOfOtherView ? 'views' : 'other', recent]
  if (isOfOtherView) return ['views', writesOf(all).slice(-1)]
  const writer = writesOf(all).findLast(({ force }) => force === 'must')
  if (writer) return ['not-lasting', [writer]]
  // A field that changes without a write is a counter or a time. An item or a member does not disappear by itself.
  if (register.field !== '' && register.member === undefined) return undefined
  return ['not-lasting', before.filter(({ force }) => force === 'must').slice(-1)]
}

function writesOf(changes: readonly Change[]): readonly Write[] {
  return changes.map(({ write }) => write)
}
