/**
 * Judges the state: finds each read that no correct server can have answered, whoever sent it and the writes before it.
 *
 * Each read shows registers in a view, the item or its list (`registers.ts`). If a value is not among the possible ones (`possible-values.ts`), the
 * writes since the register was last certain are suspect (`suspects.ts`). A write that was refused, or had no right, never has an effect; a
 * write without a usable response may have one.
 */
import type { Resource } from '@cdn/api/contract'
import { canonical } from '../../exchange/canonical.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { hasMark, hasRunMark, isMarked } from '../../exchange/own-names.ts'
import { changedFields, mayMove } from './fields.ts'
import { changesBy, type Known, mustShow, possibleAt } from './possible-values.ts'
import {
  type Effect,
  hasNameOf,
  keyOf,
  membersOf,
  open,
  type Register,
  type ShownItem,
  type ShownState,
  shownBy,
  states404,
  textOf,
  type Write,
  writesOf,
} from './registers.ts'
import { type How, reasonOf } from './suspects.ts'

type View = ShownState['view']

interface FirstMembers {
  readonly members: ReadonlySet<string>
  readonly at: HistoryEntry
}

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

export interface StateVerdict {
  readonly violations: readonly StateViolation[]
  /** The writes whose effect a read showed, and those without a right after which a read showed that nothing changed. */
  readonly shown: ReadonlySet<HistoryEntry>
}

export interface StateOptions {
  /** How old a read may be, in ms. */
  readonly lagMs?: number
  /** Whether the suite may judge an item that it did not create: an item of the fixtures. */
  readonly isFixture: (item: string) => boolean
  /** Whether no other caller uses the target. Then each new item of a collection needs a creation of the suite. */
  readonly isAlone?: boolean
}

/** @param entries the history of one target, in the order of the ends of the exchanges */
export function judgeState(entries: readonly HistoryEntry[], options: StateOptions): StateVerdict {
  const { lagMs = 0, isFixture, isAlone = false } = options
  const writes = writesOf(entries, isAlone)
  const byEntry = new Map(writes.map((write) => [write.entry, write]))
  const changesOf = changesBy(writes)
  const creations = writes.filter(({ operation }) => operation.action.kind === 'create')
  const isCreated = new Set(
    creations.flatMap(({ target, effects, force }) => (effects.length > 0 && force !== 'never' ? [target] : [])),
  )
  const isOurs = (item: string) => isFixture(item) || isCreated.has(item)
  const violations: StateViolation[] = []
  const shown = new Set<HistoryEntry>()
  /** What each view last showed of each register. */
  const known = { item: new Map<string, Known>(), list: new Map<string, Known>() }
  /** The members of each list that were known at its first read in each view. */
  const firstMembers = { item: new Map<string, FirstMembers>(), list: new Map<string, FirstMembers>() }
  /** The last read of each item and collection in each view. */
  const lastRead = { item: new Map<string, HistoryEntry>(), list: new Map<string, HistoryEntry>() }
  const broken = new Set<string>()
  /** What moved without a write: registers, and fields of any item that no operation changes. A counter may start anew, and a read may be old. */
  const moving = new Set<unknown>()
  const strangers = new Set<string>()
  /** The members of each list that were sent or shown. */
  const members = new Map<string, Map<string, Register>>()
  for (const { to: _, ...register } of writes.flatMap(({ effects }) => effects))
    if (register.member !== undefined) membersOfList(register).set(register.member, register)

  function membersOfList({ item, field }: Register): Map<string, Register> {
    const list = `${item}|${field}`
    const all = members.get(list) ?? new Map()
    members.set(list, all)
    return all
  }

  function report(violation: StateViolation): void {
    const key = violation.how === 'status' ? `status ${keyOf(violation.register)}` : keyOf(violation.register)
    // What a register shows after its first violation may follow from it.
    if (!broken.has(key)) violations.push(violation)
    broken.add(key)
  }

  const writesFrom = (start: number, read: HistoryEntry) =>
    writes.filter(({ entry }) => entry.end > start && entry.start < read.end)

  /** Judges a value that a read shows of a register. `absence`: an earlier read showed that the member was absent. */
  function seeValue(view: View, register: Register, value: unknown, at: HistoryEntry, absence?: Known): void {
    const key = keyOf(register)
    const { resource, field, item } = register
    const isOfSuite = field === '' || changedFields(resource).includes(field)
    // A read that overlaps with this one says nothing: either may show the newer value.
    const ifBefore = (one?: Known) => (one && one.at.end < at.start ? one : undefined)
    const ofOtherView = isOfSuite ? ifBefore(known[view === 'item' ? 'list' : 'item'].get(key)) : undefined
    const own = ifBefore(known[view].get(key) ?? absence)
    const base = own ?? ofOtherView
    const all = changesOf(register)
    const { since, live, values } = possibleAt(all, base, at, lagMs)
    const isPossible = !values || values.some((each) => each === open || each === value)
    // The register is certain again if nothing else was possible, or if nothing is known about the others. An open value is
    // certain only if no other write may still show.
    const isOnlyOpen = values?.length === 1 && values[0] === open
    const isCertain = values ? isOnlyOpen || values.every((each) => each === value) : live.length === 0
    if (isCertain || !isPossible) known[view].set(key, { value, at })
    if (!values) return
    if (isPossible) {
      for (const { write, to } of live) if (to === value && write.force === 'must') shown.add(write.entry)
      for (const { write } of since) if (write.force === 'never') shown.add(write.entry)
      return
    }
    const schema = resource.fields[field]
    const mover = isOfSuite ? key : schema
    if (moving.has(mover)) return
    if (!isOfSuite && mayMove(String(base?.value), String(value), schema)) {
      const between = writesFrom(base?.at.start ?? 0, at)
      if (between.every(({ operation }) => operation.resource !== resource)) moving.add(mover)
      return
    }
    const earlierRead = lagMs > 0 ? base?.at : (lastRead[view].get(item) ?? base?.at)
    const [how, suspects = []] =
      reasonOf({
        ...{ register, value, since, base, isOfOtherView: own === undefined && base !== undefined },
        all: all.filter(({ write: { entry } }) => entry.start < at.end),
        recent: writesFrom(earlierRead?.start ?? 0, at),
        before: writesFrom(0, at),
        isShown: ({ entry }) => shown.has(entry),
        unchanged: lagMs === 0 && ofOtherView?.value !== value ? ofOtherView : undefined,
      }) ?? []
    const expected = [...new Set(values.map(textOf))]
    if (how) report({ how, register, view, expected, seen: textOf(value), suspects, at })
    else moving.add(mover)
  }

  /** Judges the fields of an item, and each member of its lists. */
  function seeFields(view: View, { resource, item, fields }: ShownItem, at: HistoryEntry): void {
    for (const [field, value] of Object.entries(fields)) {
      const register = { resource, item, field }
      const present = membersOf(resource, field, value)
      if (!present) {
        seeValue(view, register, canonical(value), at)
        continue
      }
      const list = keyOf(register)
      const all = membersOfList(register)
      const shownMembers = new Set(present)
      // The mark of a run comes and goes without a write that the history has.
      for (const member of shownMembers)
        if (!all.has(member) && !hasRunMark(member)) all.set(member, { ...register, member })
      const first = firstMembers[view].get(list)
      // A member that nobody had sent or shown at the first read of the list was absent then.
      const absence = (member: string) =>
        first && !first.members.has(member) ? { value: false, at: first.at } : undefined
      for (const [member, one] of all) seeValue(view, one, shownMembers.has(member), at, absence(member))
      if (!first) firstMembers[view].set(list, { members: new Set(all.keys()), at })
    }
  }

  /** Judges an item that neither the fixtures nor a creation explain: one item too many. */
  function seeStranger({ item, fields }: ShownItem, { collection, resource }: ShownState, at: HistoryEntry): void {
    if (strangers.has(item)) return
    strangers.add(item)
    const named = creations.filter(
      ({ operation, entry }) =>
        operation.resource === resource && entry.start < at.end && hasNameOf(fields, entry.body),
    )
    // Without a name of the suite, another caller may have created it, unless nobody else knows the collection.
    const isOwn = [...isCreated].some((outer) => collection.startsWith(`${outer}/`))
    const earlierRead = lastRead.list.get(collection)
    const isKnown = isOwn || (isAlone && earlierRead !== undefined)
    const suspects = named.length > 0 ? named : isKnown ? writesFrom(earlierRead?.start ?? 0, at) : []
    if (suspects.length === 0) return
    const how = suspects.every(({ force }) => force === 'never') ? 'forbidden' : 'other'
    const register = { resource, item, field: '' }
    report({ how, register, view: 'list', expected: ['false'], seen: 'true', suspects, at })
  }

  /** Judges the lists of an item that the suite may not change: no other caller knows a name of the suite, so a write to another item added it. */
  function seeNames({ resource, item, fields }: ShownItem, at: HistoryEntry): void {
    for (const [field, value] of Object.entries(fields))
      for (const member of (membersOf(resource, field, value) ?? []).filter(isMarked)) {
        const register = { resource, item, field, member }
        const isSame = ({ to, ...of }: Effect) => to === true && of.field === field && of.member === member
        const suspects = writesFrom(0, at).filter(({ effects }) => effects.some(isSame))
        const values = { expected: ['false'], seen: 'true' }
        if (suspects.length > 0) report({ how: 'other', register, view: 'list', ...values, suspects, at })
      }
  }

  /** Judges creations whose item neither their response nor any list shows, although a list shows the fields that they sent. */
  function seeUnlisted({ resource, collection, items }: ShownState, at: HistoryEntry): void {
    const isRecognizable = ({ entry: { body } }: Write) =>
      (isAlone || hasMark(body)) &&
      Object.keys(Object(body)).some((name) => items.every(({ fields }) => name in fields))
    const unseen = creations.filter(
      (write) =>
        write.target === collection &&
        write.effects.length === 0 &&
        mustShow(write, at, lagMs) &&
        isRecognizable(write),
    )
    if (unseen.length === 0) return
    const register = { resource, item: collection, field: '' }
    report({ how: 'missing', register, view: 'list', expected: ['true'], seen: 'false', suspects: unseen, at })
  }

  /** Returns the deletion after which an item certainly does not exist; undefined if it may exist. */
  function deletionOf(register: Register, at: HistoryEntry): Write | undefined {
    const { since, values } = possibleAt(changesOf(register), undefined, at, lagMs)
    const isAbsent = values?.every((each) => each === false)
    return isAbsent ? since.findLast(({ write }) => mustShow(write, at, lagMs))?.write : undefined
  }

  /** Judges the status of an exchange about an item that does not exist. */
  function seeStatus(
    how: 'absent' | 'status',
    resource: Resource,
    item: string,
    at: HistoryEntry,
    write?: Write,
  ): void {
    const register = { resource, item, field: '' }
    const deletion = states404(at.operation) ? deletionOf(register, at) : undefined
    const [expected, seen] = [['status 404'], `status ${at.status}`]
    if (deletion) report({ how, register, view: 'item', expected, seen, suspects: [write ?? deletion], at })
  }

  function seeItem({ resource, collection: item, items }: ShownState, at: HistoryEntry): void {
    if (!isOurs(item)) return
    seeValue('item', { resource, item, field: '' }, items.length > 0, at)
    if (at.status === 410) seeStatus('status', resource, item, at)
    for (const showing of items) seeFields('item', showing, at)
  }

  function seeList(page: ShownState, at: HistoryEntry): void {
    const { resource, collection, items, isWhole } = page
    for (const showing of items) {
      const { item } = showing
      if (isOurs(item)) {
        seeValue('list', { resource, item, field: '' }, true, at)
        seeFields('list', showing, at)
        lastRead.list.set(item, at)
      } else {
        seeStranger(showing, page, at)
        seeNames(showing, at)
      }
    }
    if (!isWhole) return
    if (at.status < 300) seeUnlisted(page, at)
    const listed = new Set(items.map(({ item }) => item))
    for (const item of new Set([...isCreated, ...lastRead.item.keys(), ...lastRead.list.keys()])) {
      const isWithin = item.startsWith(`${collection}/`) && !item.slice(collection.length + 1).includes('/')
      if (!isWithin || listed.has(item) || !isOurs(item)) continue
      seeValue('list', { resource, item, field: '' }, false, at)
      lastRead.list.set(item, at)
    }
  }

  for (const entry of entries) {
    const write = byEntry.get(entry)
    const page = write ? undefined : shownBy(entry)
    if (
      write?.force === 'must' &&
      write.operation.action.kind !== 'create' &&
      write.operation.resource.id !== undefined
    )
      seeStatus('absent', write.operation.resource, write.target, entry, write)
    if (page?.view === 'item') seeItem(page, entry)
    if (page?.view === 'list') seeList(page, entry)
    if (page && (page.view === 'list' || isOurs(page.collection))) lastRead[page.view].set(page.collection, entry)
  }
  return { violations: violations.filter((one) => !followsFrom(one, violations)), shown }
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
