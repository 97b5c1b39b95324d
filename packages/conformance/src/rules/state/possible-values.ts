/**
 * Which values a correct server can show. A register keeps its value until a write changes it, and then has the value of the write. A read
 * may be up to `lagMs` old.
 */
import type { HistoryEntry } from '../../exchange/history.ts'
import { keyOf, type Register, type Write } from './registers.ts'

export interface Known {
  readonly value: unknown
  readonly at: HistoryEntry
}

/** A write to a register, and the value that it gives it. */
export interface Change {
  readonly write: Write
  readonly to: unknown
}

/** How long after the end of a request without a response the target may still execute it, in ms. */
const lateMs = 1_000

/**
 * Whether a read must show a write: it certainly took effect, and ended before anything that the read can show.
 *
 * @param earlier an exchange; a write that began before its end may have come first, and then need not show
 */
export function mustShow(write: Write, read: HistoryEntry, lagMs: number, earlier?: HistoryEntry): boolean {
  const { force, entry } = write
  if (force !== 'must' || (earlier && entry.start <= earlier.end)) return false
  return lagMs > 0 ? entry.endMs <= read.startMs - lagMs : entry.end < read.start
}

/** Returns a function that finds the changes of a register: by its own writes, and by deletions of an item that contains its item. */
export function changesBy(writes: readonly Write[]): (register: Register) => readonly Change[] {
  const all = writes.flatMap((write) => write.effects.map((effect) => ({ write, effect, to: effect.to })))
  const byRegister = Map.groupBy(all, ({ effect }) => keyOf(effect))
  return (register) => {
    const own = byRegister.get(keyOf(register)) ?? []
    if (register.field !== '') return own
    const steps = register.item.split('/')
    const outer = steps.slice(1).flatMap((_, end) => byRegister.get(`${steps.slice(0, end + 1).join('/')}|`) ?? [])
    return [...own, ...outer.filter(({ to }) => to === false)]
  }
}

/**
 * Returns what a read can show of a register.
 *
 * @param all the changes of the register
 * @param base what was last known of it; without it, any value is possible until a write sets one
 * @returns the changes since then, those whose value may show, and the possible values; no values if any is possible
 */
export function possibleAt(all: readonly Change[], base: Known | undefined, read: HistoryEntry, lagMs: number) {
  const since = all.filter(({ write: { entry } }) => entry.start < read.end && (!base || entry.end > base.at.start))
  const certain = since.filter(({ write }) => write.force === 'must')
  const isReplaced = (earlier?: HistoryEntry) => certain.some(({ write }) => mustShow(write, read, lagMs, earlier))
  const isLive = ({ write: { force, entry } }: Change) => {
    if (force === 'must') return !isReplaced(entry)
    const isLate = ({ write }: Change) => write.entry.startMs > entry.endMs + lateMs
    return force === 'may' && !certain.some((one) => mustShow(one.write, read, lagMs, entry) && isLate(one))
  }
  const live = since.filter(isLive)
  if (isReplaced()) return { since, live, values: live.map(({ to }) => to) }
  return { since, live, values: base && [base.value, ...live.map(({ to }) => to)] }
}
