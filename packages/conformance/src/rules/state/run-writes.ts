/** The writes of a run, and what the judge of the state asks about them. */
import type { HistoryEntry } from '../../exchange/history.ts'
import { changesBy } from './possible-values.ts'
import { type Write, writesOf } from './registers.ts'

export interface StateOptions {
  /** How old a read may be, in ms. */
  readonly lagMs?: number
  /** Whether the suite may judge an item that it did not create: an item of the fixtures. */
  readonly isFixture: (item: string) => boolean
  /** Whether no other caller uses the target. Then each new item of a collection needs a creation of the suite. */
  readonly isAlone?: boolean
}

export type RunWrites = ReturnType<typeof runWrites>

export function runWrites(entries: readonly HistoryEntry[], { lagMs = 0, isFixture, isAlone = false }: StateOptions) {
  const all = writesOf(entries, isAlone)
  const byEntry = new Map(all.map((write) => [write.entry, write]))
  const creations = all.filter(({ operation }) => operation.action.kind === 'create')
  const created: ReadonlySet<string> = new Set(
    creations.flatMap(({ target, effects, force }) => (effects.length > 0 && force !== 'never' ? [target] : [])),
  )
  return {
    ...{ lagMs, isAlone, all, creations },
    /** The items that the run created. */
    created,
    changesOf: changesBy(all),
    of: (entry: HistoryEntry): Write | undefined => byEntry.get(entry),
    isOurs: (item: string): boolean => isFixture(item) || created.has(item),
    /** The writes that ended after a position in the history and began before the end of a read. */
    between: (start: number, read: HistoryEntry): readonly Write[] =>
      all.filter(({ entry }) => entry.end > start && entry.start < read.end),
  }
}
