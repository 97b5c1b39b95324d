/** Judges the values that reads show: of fields, of members of lists, and whether an item exists. */
import { canonical } from '../../exchange/canonical.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { hasRunMark } from '../../exchange/own-names.ts'
import { changedFields, mayMove } from './fields.ts'
import { type Change, type Known, possibleAt } from './possible-values.ts'
import { keyOf, membersOf, open, type Register, type ShownItem, textOf, type View } from './registers.ts'
import type { RunWrites } from './run-writes.ts'
import { reasonOf, type StateViolation } from './suspects.ts'

/** The last read of each item and collection in each view. */
export type LastReads = Readonly<Record<View, Map<string, HistoryEntry>>>

/** A value that a read shows of a register. */
interface ShownValue {
  readonly view: View
  readonly register: Register
  readonly value: unknown
  readonly at: HistoryEntry
}

/** What was known of a register before a read, in the view of the read and in the other one, and its changes since then. */
interface Before {
  readonly own: Known | undefined
  readonly ofOtherView: Known | undefined
  readonly since: readonly Change[]
}

/** Creates a judge that sees the values of a history in the order of the ends of its reads, and remembers them. */
export function createValueJudge(writes: RunWrites, lastRead: LastReads, report: (violation: StateViolation) => void) {
  const { lagMs, changesOf } = writes
  /** What each view last showed of each register. */
  const known = { item: new Map<string, Known>(), list: new Map<string, Known>() }
  /** The first read of each list in each view, and the members that were known then. */
  const firstReads = { item: new Map<string, FirstRead>(), list: new Map<string, FirstRead>() }
  /** What moved without a write: registers, and fields of any item that no operation changes. A counter may start anew, and a read may be old. */
  const moving = new Set<unknown>()
  const shown = new Set<HistoryEntry>()
  /** The members of each list that were sent or shown. */
  const members = new Map<string, Map<string, Register>>()
  for (const { to: _, ...register } of writes.all.flatMap(({ effects }) => effects))
    if (register.member !== undefined) membersOfList(register).set(register.member, register)

  function membersOfList({ item, field }: Register): Map<string, Register> {
    const list = `${item}|${field}`
    const all = members.get(list) ?? new Map()
    members.set(list, all)
    return all
  }

  /** @param absence an earlier read that showed that the member was absent */
  function seeValue(seen: ShownValue, absence?: Known): void {
    const { view, register, value, at } = seen
    const key = keyOf(register)
    // A read that overlaps with this one says nothing: either may show the newer value.
    const ifBefore = (one?: Known) => (one && one.at.end < at.start ? one : undefined)
    const ofOtherView = isOfSuite(register) ? ifBefore(known[view === 'item' ? 'list' : 'item'].get(key)) : undefined
    const own = ifBefore(known[view].get(key) ?? absence)
    const { since, live, values } = possibleAt(changesOf(register), own ?? ofOtherView, at, lagMs)
    const isPossible = !values || values.some((each) => each === open || each === value)
    // The register is certain again if nothing else was possible, or if nothing is known about the others. An open value is
    // certain only if no other write may still show.
    const isOnlyOpen = values?.length === 1 && values[0] === open
    const isCertain = values ? isOnlyOpen || values.every((each) => each === value) : live.length === 0
    if (isCertain || !isPossible) known[view].set(key, { value, at })
    if (!values) return
    if (!isPossible) {
      const violation = explain(seen, { own, ofOtherView, since })
      if (violation) report({ ...violation, expected: [...new Set(values.map(textOf))] })
      return
    }
    for (const { write, to } of live) if (to === value && write.force === 'must') shown.add(write.entry)
    for (const { write } of since) if (write.force === 'never') shown.add(write.entry)
  }

  /** Explains an impossible value; returns undefined for a register that moves by itself. */
  function explain(
    { view, register, value, at }: ShownValue,
    { own, ofOtherView, since }: Before,
  ): Omit<StateViolation, 'expected'> | undefined {
    const { resource, field, item } = register
    const base = own ?? ofOtherView
    const schema = resource.fields[field]
    const mover = isOfSuite(register) ? keyOf(register) : schema
    if (moving.has(mover)) return undefined
    if (!isOfSuite(register) && mayMove(String(base?.value), String(value), schema)) {
      const between = writes.between(base?.at.start ?? 0, at)
      if (between.every(({ operation }) => operation.resource !== resource)) moving.add(mover)
      return undefined
    }
    const earlierRead = lagMs > 0 ? base?.at : (lastRead[view].get(item) ?? base?.at)
    const reason = reasonOf({
      ...{ register, value, since, base, isOfOtherView: own === undefined && base !== undefined },
      all: changesOf(register).filter(({ write: { entry } }) => entry.start < at.end),
      recent: writes.between(earlierRead?.start ?? 0, at),
      before: writes.between(0, at),
      isShown: ({ entry }) => shown.has(entry),
      unchanged: lagMs === 0 && ofOtherView?.value !== value ? ofOtherView : undefined,
    })
    if (!reason) moving.add(mover)
    return reason && { how: reason[0], register, view, seen: textOf(value), suspects: reason[1], at }
  }

  /** Judges the fields of an item, and each member of its lists. */
  function seeFields(view: View, { resource, item, fields }: ShownItem, at: HistoryEntry): void {
    for (const [field, value] of Object.entries(fields)) {
      const register = { resource, item, field }
      const present = membersOf(resource, field, value)
      if (present) seeMembers(view, register, new Set(present), at)
      else seeValue({ view, register, value: canonical(value), at })
    }
  }

  function seeMembers(view: View, list: Register, present: ReadonlySet<string>, at: HistoryEntry): void {
    const all = membersOfList(list)
    // The mark of a run comes and goes without a write that the history has.
    for (const member of present) if (!all.has(member) && !hasRunMark(member)) all.set(member, { ...list, member })
    const first = firstReads[view].get(keyOf(list))
    // A member that nobody had sent or shown at the first read of the list was absent then.
    const absence = (member: string) =>
      first && !first.members.has(member) ? { value: false, at: first.at } : undefined
    for (const [member, register] of all) seeValue({ view, register, value: present.has(member), at }, absence(member))
    if (!first) firstReads[view].set(keyOf(list), { members: new Set(all.keys()), at })
  }

  return { seeValue, seeFields, shown: shown as ReadonlySet<HistoryEntry> }
}

interface FirstRead {
  readonly members: ReadonlySet<string>
  readonly at: HistoryEntry
}

function isOfSuite({ resource, field }: Register): boolean {
  return field === '' || changedFields(resource).includes(field)
}
