/**
 * Judges the state: finds each read that no correct server can have answered, whoever sent it and the writes before it.
 *
 * Each read shows registers in a view, the item or its list. A register keeps its value until a write changes it, and then has the value of
 * the write. A read may be up to `lagMs` old. A write that was refused, or had no right, never has an effect; a write without a usable
 * response may have one.
 */
import { canonical } from '../../exchange/canonical.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { hasMark, isMarked } from '../../exchange/own-names.ts'
import { changedFields, mayMove } from './fields.ts'
import {
  type Effect,
  hasNameOf,
  keyOf,
  membersOf,
  open,
  type Register,
  type Showing,
  type Shown,
  shownBy,
  states404,
  type Write,
  writesOf,
} from './registers.ts'

/**
 * What a read shows that it cannot show: a write that must have no effect has one (`forbidden`), a valid one has none (`missing`), or it
 * changes another register (`other`), or its effect does not last (`not-lasting`); two views differ (`views`); an item that does not exist is
 * changed (`absent`), or its read has another status than 404 (`status`). `lost`: a valid write had no effect, but the same one has it when it
 * is sent again.
 */
export type How = 'forbidden' | 'missing' | 'lost' | 'other' | 'not-lasting' | 'views' | 'absent' | 'status'

export interface StateViolation {
  readonly how: How
  readonly register: Register
  readonly view: 'item' | 'list'
  /** The possible values, as texts. */
  readonly expected: readonly string[]
  readonly seen: string
  /** The writes of which one is the reason. */
  readonly suspects: readonly Write[]
  /** The exchange that shows the violation. */
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

/** How long after the end of a request without a response the target may still execute it, in ms. */
const lateMs = 1_000

interface Known {
  readonly value: unknown
  /** The read that showed it. */
  readonly at: HistoryEntry
}

/** @param entries the history of one target, in the order of the ends of the exchanges */
export function judgeState(entries: readonly HistoryEntry[], options: StateOptions): StateVerdict {
  const { lagMs = 0, isFixture, isAlone = false } = options
  const writes = writesOf(entries, isAlone)
  const byEntry = new Map(writes.map((write) => [write.entry, write]))
  const byRegister = Map.groupBy(
    writes.flatMap((write) => write.effects.map((effect) => ({ write, effect, to: effect.to }))),
    ({ effect }) => keyOf(effect),
  )
  const creations = writes.filter(({ operation }) => operation.action.kind === 'create')
  const isCreated = new Set(
    creations.flatMap(({ target, effects, force }) => (effects.length > 0 && force !== 'never' ? [target] : [])),
  )
  const strangers = new Set<string>()
  const violations: StateViolation[] = []
  const shown = new Set<HistoryEntry>()
  const known = new Map<string, Known>()
  /** The last read of each item and collection in each view. */
  const lastLook = { item: new Map<string, HistoryEntry>(), list: new Map<string, HistoryEntry>() }
  const broken = new Set<string>()
  const moving = new Set<string>()
  /** The members of each list that were sent or shown. */
  const members = new Map<string, Set<string>>()

  const isOver = (write: Write, end: HistoryEntry | undefined, read: HistoryEntry) =>
    write.force === 'must' &&
    (end === undefined || write.entry.start > end.end) &&
    (lagMs > 0 ? write.entry.endMs <= read.startMs - lagMs : write.entry.end < read.start)

  /** The writes to a register: its own, and deletions of an item that contains its item. */
  const writesTo = (register: Register) => {
    const own = byRegister.get(keyOf(register)) ?? []
    if (register.field !== '') return own
    const steps = register.item.split('/')
    const outer = steps
      .slice(0, -1)
      .flatMap((_, index) => byRegister.get(`${steps.slice(0, index + 1).join('/')}|`) ?? [])
    return [...own, ...outer.filter(({ to }) => to === false)]
  }

  const report = (violation: StateViolation) => {
    const key = keyOf(violation.register)
    // What a register shows after its first violation may follow from it.
    if (!broken.has(key)) violations.push(violation)
    broken.add(key)
  }

  const since = (start: number, read: HistoryEntry) =>
    writes.filter(({ entry }) => entry.end > start && entry.start < read.end)

  function see(view: 'item' | 'list', register: Register, value: unknown, at: HistoryEntry, missing?: Known): void {
    const key = keyOf(register)
    const { resource, field, item } = register
    const isOfSuite = field === '' || changedFields(resource).includes(field)
    const otherView = view === 'item' ? 'list' : 'item'
    const own = known.get(view + key)
    const base = own ?? missing ?? (isOfSuite ? known.get(otherView + key) : undefined)
    const all = writesTo(register).filter(({ write: { entry } }) => entry.start < at.end)
    const candidates = all.filter(({ write: { entry } }) => base === undefined || entry.end > base.at.start)
    const done = candidates.filter(({ write }) => write.force === 'must')
    const isReplaced = (end: HistoryEntry | undefined) => done.some(({ write }) => isOver(write, end, at))
    const isLive = ({ write: { force, entry } }: (typeof all)[number]) =>
      force === 'must'
        ? !isReplaced(entry)
        : force === 'may' &&
          !done.some(({ write }) => isOver(write, entry, at) && write.entry.startMs > entry.endMs + lateMs)
    const live = candidates.filter(isLive)
    const keepsBase = !isReplaced(undefined)
    if (!base && keepsBase) {
      known.set(view + key, { value, at })
      return
    }
    const possible = [...(base && keepsBase ? [base.value] : []), ...live.map(({ to }) => to)]
    if (possible.some((each) => each === open || each === value)) {
      // The register is certain again if nothing else was possible, or if nothing is known about the others.
      if (possible.every((each) => each === value) || possible.includes(open)) known.set(view + key, { value, at })
      for (const { write, to } of live) if (to === value && write.force === 'must') shown.add(write.entry)
      for (const { write } of candidates) if (write.force === 'never') shown.add(write.entry)
      return
    }
    known.set(view + key, { value, at })
    if (moving.has(key)) return
    if (!isOfSuite && mayMove(String(base?.value), String(value), resource.fields[field])) return
    const look = lastLook[view].get(item) ?? base?.at
    const recent = since(lagMs > 0 ? (base?.at.start ?? 0) : (look?.start ?? 0), at)
    const isOfOtherView = !own && !missing && base !== undefined
    const ofRegister = (some: typeof all) => some.map(({ write }) => write)
    const reason = (): readonly [How, readonly Write[]] | undefined => {
      const forbidden = candidates.filter(({ write, to }) => write.force === 'never' && to === value)
      const unseen = ofRegister(done.filter(({ write, to }) => to !== value && !shown.has(write.entry)))
      // If the value is the one before, the valid write had no effect, and the refused one had nothing to change.
      const isAsBefore = unseen.length > 0 && base?.value === value
      if (forbidden.length > 0 && !isAsBefore) return ['forbidden', ofRegister(forbidden)]
      // The last one should show; another write since then may have undone it.
      if (unseen.length > 0) return ['missing', [...new Set([...unseen.slice(-1), ...recent])]]
      if (recent.length > 0) return [isOfOtherView ? 'views' : 'other', recent]
      if (isOfOtherView) return ['views', ofRegister(all).slice(-1)]
      const writer = ofRegister(all).findLast(({ force }) => force === 'must')
      if (writer) return ['not-lasting', [writer]]
      // A field that changes without a write is a counter or a time. An item or a member does not go by itself.
      if (field !== '' && register.member === undefined) return undefined
      return ['not-lasting', writes.filter(({ force, entry }) => force === 'must' && entry.start < at.end).slice(-1)]
    }
    const [how, suspects = []] = reason() ?? []
    const expected = [...new Set(possible.map(textOf))]
    if (how) report({ how, register, view, expected, seen: textOf(value), suspects, at })
    else moving.add(key)
  }

  /** Judges an item that neither the fixtures nor a creation explain: one item too many. */
  function seeStranger({ item, fields }: Showing, { collection, resource }: Shown, at: HistoryEntry): void {
    if (strangers.has(item)) return
    strangers.add(item)
    const named = creations.filter(
      ({ operation, entry }) =>
        operation.resource === resource && entry.start < at.end && hasNameOf(fields, entry.body),
    )
    // Without a name of the suite, another caller may have created it, unless nobody else knows the collection.
    const isOwn = [...isCreated].some((outer) => collection.startsWith(`${outer}/`))
    const look = lastLook.list.get(collection)
    const isKnown = isOwn || (isAlone && look !== undefined)
    const suspects = named.length > 0 ? named : isKnown ? since(look?.start ?? 0, at) : []
    if (suspects.length === 0) return
    const how = suspects.every(({ force }) => force === 'never') ? 'forbidden' : 'other'
    report({
      how,
      register: { resource, item, field: '' },
      view: 'list',
      expected: ['false'],
      seen: 'true',
      suspects,
      at,
    })
  }

  /** Judges the lists of an item that the suite may not change: no other caller knows a name of the suite, so a write to another item added it. */
  function seeNames({ resource, item, fields }: Showing, at: HistoryEntry): void {
    for (const [field, value] of Object.entries(fields))
      for (const member of (membersOf(resource, field, value) ?? []).filter(isMarked)) {
        const register = { resource, item, field, member }
        const isSame = ({ to, ...of }: Effect) => to === true && of.field === field && of.member === member
        const suspects = writes.filter(({ entry, effects }) => entry.start < at.end && effects.some(isSame))
        const values = { expected: ['false'], seen: 'true' }
        if (suspects.length > 0) report({ how: 'other', register, view: 'list', ...values, suspects, at })
      }
  }

  /** Judges creations whose item neither their response nor any list shows, although a list shows the fields that they sent. */
  function seeAbsent({ resource, collection, items }: Shown, at: HistoryEntry): void {
    const isRecognizable = ({ entry: { body } }: Write) =>
      (isAlone || hasMark(body)) &&
      Object.keys(Object(body)).some((name) => items.every(({ fields }) => name in fields))
    const unseen = creations.filter(
      (write) =>
        write.target === collection &&
        write.effects.length === 0 &&
        isOver(write, undefined, at) &&
        isRecognizable(write),
    )
    if (unseen.length === 0) return
    const register = { resource, item: collection, field: '' }
    report({ how: 'missing', register, view: 'list', expected: ['true'], seen: 'false', suspects: unseen, at })
  }

  function seeFields(
    view: 'item' | 'list',
    { resource, item }: Register,
    fields: Readonly<Record<string, unknown>>,
    at: HistoryEntry,
  ) {
    for (const [field, value] of Object.entries(fields)) {
      const register = { resource, item, field }
      const present = membersOf(resource, field, value)
      if (!present) {
        see(view, register, canonical(value), at)
        continue
      }
      const name = keyOf(register)
      const all = new Set([...(members.get(name) ?? []), ...present])
      members.set(name, all)
      // A member that the first read of the list did not show was absent then.
      const first = known.get(`${view}${name}`)
      for (const member of all) {
        const absent = first && !known.has(`${view}${name}|${member}`) ? { value: false, at: first.at } : undefined
        see(view, { ...register, member }, present.includes(member), at, absent)
      }
      if (!first) known.set(`${view}${name}`, { value: true, at })
    }
  }

  for (const write of writes)
    for (const { item, field, member } of write.effects)
      if (member !== undefined) {
        const name = `${item}|${field}`
        members.set(name, new Set([...(members.get(name) ?? []), member]))
      }

  /** Whether an item certainly does not exist: each read since the last write says so, or it was deleted. */
  const isGone = (register: Register, at: HistoryEntry) => {
    const all = writesTo(register).filter(({ write: { entry } }) => entry.end < at.start)
    const deleted = all.findLast(({ write, to }) => write.force === 'must' && to === false)
    if (!deleted || !isOver(deleted.write, undefined, at)) return false
    return all.every(({ write, to }) => to === false || write.entry.end < deleted.write.entry.start)
  }

  for (const entry of entries) {
    const write = byEntry.get(entry)
    if (write) {
      const register = { resource: write.operation.resource, item: write.target, field: '' }
      const isOfItem = write.operation.action.kind !== 'create' && write.operation.resource.id !== undefined
      if (write.force === 'must' && isOfItem && states404(write.operation) && isGone(register, entry))
        report({
          how: 'absent',
          register,
          view: 'item',
          expected: ['status 404'],
          seen: `status ${entry.status}`,
          suspects: [write],
          at: entry,
        })
      continue
    }
    const page = shownBy(entry)
    if (!page) continue
    const { view, resource, collection } = page
    const isOurs = (item: string) => isFixture(item) || isCreated.has(item)
    if (view === 'item') {
      const register = { resource, item: collection, field: '' }
      if (!isOurs(collection)) continue
      see('item', register, page.items.length > 0, entry)
      if (entry.status === 410 && states404(entry.operation) && isGone(register, entry)) {
        const suspects = writesTo(register)
          .filter(({ to }) => to === false)
          .map(({ write }) => write)
          .slice(-1)
        report({
          how: 'status',
          register: { ...register, field: 'status' },
          view,
          expected: ['status 404'],
          seen: 'status 410',
          suspects,
          at: entry,
        })
      }
    }
    for (const { item, fields } of page.items) {
      if (isOurs(item)) {
        if (view === 'list') see('list', { resource, item, field: '' }, true, entry)
        seeFields(view, { resource, item, field: '' }, fields, entry)
        lastLook[view].set(item, entry)
      } else if (view === 'list') {
        seeStranger({ resource, item, fields }, page, entry)
        seeNames({ resource, item, fields }, entry)
      }
    }
    if (view === 'list') {
      if (page.isWhole && entry.status < 300) seeAbsent(page, entry)
      if (page.isWhole) {
        const listed = new Set(page.items.map(({ item }) => item))
        for (const item of new Set([...isCreated, ...lastLook.item.keys(), ...lastLook.list.keys()])) {
          const isWithin = item.startsWith(`${collection}/`) && !item.slice(collection.length + 1).includes('/')
          if (isWithin && !listed.has(item) && isOurs(item)) {
            see('list', { resource, item, field: '' }, false, entry)
            lastLook.list.set(item, entry)
          }
        }
      }
    }
    lastLook[view].set(collection, entry)
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

function textOf(value: unknown): string {
  return typeof value === 'symbol' ? 'any value' : String(value)
}
