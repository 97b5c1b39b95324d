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
export const lateMs = 1_000

/** Whether a write certainly had its effect, or none, before an exchange began. */
function isBefore({ force, entry }: Write, later: HistoryEntry): boolean {
  return entry.end < later.start && (force !== 'may' || later.startMs > entry.endMs + lateMs)
}

/** Whether a read must show a write, or a later one: it certainly took effect, and ended before anything that the read can show. */
export function mustShow({ force, entry }: Write, read: HistoryEntry, lagMs: number): boolean {
  if (force !== 'must') return false
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
    const all = [...own, ...outer.filter(({ to }) => to === false)]
    return all.toSorted((a, b) => a.write.entry.end - b.write.entry.end)
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
  const since = all.filter(({ write }) => write.entry.start < read.end && !(base && isBefore(write, base.at)))
  const shown = since.filter(({ write }) => mustShow(write, read, lagMs))
  const isLive = ({ write }: Change) =>
    write.force !== 'never' && !shown.some((one) => isBefore(write, one.write.entry))
  const live = since.filter(isLive)
  if (shown.length > 0) return { since, live, values: live.map(({ to }) => to) }
  return { since, live, values: base && [base.value, ...live.map(({ to }) => to)] }
}
