/**
 * Judges the state: finds each read that no correct server can have answered, whoever sent it and the writes before it.
 *
 * Each read shows registers in a view, the item or its list (`registers.ts`). If a value is not among the possible ones (`possible-values.ts`), the
 * writes since the register was last certain are suspect (`suspects.ts`). A write that was refused, or had no right, never has an effect; a
 * write without a usable response may have one.
 */
import type { HistoryEntry } from '../../exchange/history.ts'
import { nameViolations, statusViolation, strangerViolation, unlistedViolation } from './judge-items.ts'
import { createValueJudge, type LastReads } from './judge-values.ts'
import { keyOf, type ShownState, shownBy } from './registers.ts'
import { runWrites, type StateOptions } from './run-writes.ts'
import type { StateViolation } from './suspects.ts'

export interface StateJudgement {
  readonly violations: readonly StateViolation[]
  /** The writes whose effect a read showed, and those without a right after which a read showed that nothing changed. */
  readonly shown: ReadonlySet<HistoryEntry>
}

/** @param entries the history of one target, in the order of the ends of the exchanges */
export function judgeState(entries: readonly HistoryEntry[], options: StateOptions): StateJudgement {
  const writes = runWrites(entries, options)
  /** The first violation of each register, because what the register shows later may follow from it. */
  const violations = new Map<string, StateViolation>()
  const strangers = new Set<string>()
  const lastRead: LastReads = { item: new Map(), list: new Map() }
  const { seeValue, seeFields, shown } = createValueJudge(writes, lastRead, report)

  function report(violation: StateViolation | undefined): void {
    if (!violation) return
    const key = `${violation.how === 'status' ? 'status ' : ''}${keyOf(violation.register)}`
    if (!violations.has(key)) violations.set(key, violation)
  }

  function seeItem({ resource, path: item, items }: ShownState, at: HistoryEntry): void {
    const register = { resource, item, field: '' }
    seeValue({ view: 'item', register, value: items.length > 0, at })
    if (at.status === 410) report(statusViolation(writes, 'status', register, at))
    for (const showing of items) seeFields('item', showing, at)
    lastRead.item.set(item, at)
  }

  function seeList(page: ShownState, at: HistoryEntry): void {
    const { resource, path: collection, items } = page
    for (const showing of items) {
      const { item } = showing
      if (writes.isOurs(item)) {
        seeValue({ view: 'list', register: { resource, item, field: '' }, value: true, at })
        seeFields('list', showing, at)
        lastRead.list.set(item, at)
        continue
      }
      if (!strangers.has(item)) report(strangerViolation(writes, showing, page, at, lastRead.list.get(collection)))
      strangers.add(item)
      for (const violation of nameViolations(writes, showing, at)) report(violation)
    }
    if (page.isWhole) seeAbsent(page, at)
    lastRead.list.set(collection, at)
  }

  /** Judges what a whole list does not show. */
  function seeAbsent(page: ShownState, at: HistoryEntry): void {
    const { resource, path: collection, items } = page
    if (at.status < 300) report(unlistedViolation(writes, page, at))
    const listed = new Set(items.map(({ item }) => item))
    for (const item of new Set([...writes.created, ...lastRead.item.keys(), ...lastRead.list.keys()])) {
      const isWithin = item.startsWith(`${collection}/`) && !item.slice(collection.length + 1).includes('/')
      if (!isWithin || listed.has(item) || !writes.isOurs(item)) continue
      seeValue({ view: 'list', register: { resource, item, field: '' }, value: false, at })
      lastRead.list.set(item, at)
    }
  }

  for (const entry of entries) {
    const write = writes.of(entry)
    const page = write ? undefined : shownBy(entry)
    if (write?.force === 'must' && write.operation.action.kind !== 'create') {
      const { resource } = write.operation
      const register = { resource, item: write.target, field: '' }
      if (resource.id !== undefined) report(statusViolation(writes, 'absent', register, entry, write))
    }
    if (page?.view === 'item' && writes.isOurs(page.path)) seeItem(page, entry)
    if (page?.view === 'list') seeList(page, entry)
  }
  const all = [...violations.values()]
  return { violations: all.filter((one) => !followsFrom(one, all)), shown }
}

/** Whether a write has another value in the same list than it should: then it has no effect, and that says it all. */
function followsFrom({ how, register, suspects }: StateViolation, all: readonly StateViolation[]): boolean {
  const isSame = (other: StateViolation) =>
    other.how === 'missing' &&
    other.register.item === register.item &&
    other.register.field === register.field &&
    other.suspects[0] === suspects[0]
  return how === 'other' && all.some(isSame)
}
