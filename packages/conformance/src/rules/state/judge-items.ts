/** Judges whether items exist that should not, and the other way round, apart from what is known of their registers. */
import type { HistoryEntry } from '../../exchange/history.ts'
import { hasMark, isMarked } from '../../exchange/own-names.ts'
import { mustShow, possibleAt } from './possible-values.ts'
import {
  type Effect,
  hasNameOf,
  membersOf,
  type Register,
  type ShownItem,
  type ShownState,
  states404,
  type Write,
} from './registers.ts'
import type { RunWrites } from './run-writes.ts'
import type { How, StateViolation } from './suspects.ts'

const tooMuch = { view: 'list', expected: ['false'], seen: 'true' } as const
const tooLittle = { view: 'list', expected: ['true'], seen: 'false' } as const

/**
 * Judges an item that neither the fixtures nor a creation explain: one item too many.
 *
 * @param earlierRead the last read of its collection
 */
export function strangerViolation(
  writes: RunWrites,
  { item, fields }: ShownItem,
  { path: collection, resource }: ShownState,
  at: HistoryEntry,
  earlierRead?: HistoryEntry,
): StateViolation | undefined {
  const named = writes.creations.filter(
    ({ operation, entry }) => operation.resource === resource && entry.start < at.end && hasNameOf(fields, entry.body),
  )
  // Without a name of the suite, another caller may have created it, unless nobody else knows the collection.
  const isOwn = [...writes.created].some((outer) => collection.startsWith(`${outer}/`))
  const isKnown = isOwn || (writes.isAlone && earlierRead !== undefined)
  const suspects = named.length > 0 ? named : isKnown ? writes.between(earlierRead?.start ?? 0, at) : []
  if (suspects.length === 0) return undefined
  const how = suspects.every(({ force }) => force === 'never') ? 'forbidden' : 'other'
  return { how, register: { resource, item, field: '' }, ...tooMuch, suspects, at }
}

/** Judges the lists of an item that the suite may not change: no other caller knows a name of the suite, so a write to another item added it. */
export function nameViolations(
  writes: RunWrites,
  { resource, item, fields }: ShownItem,
  at: HistoryEntry,
): readonly StateViolation[] {
  const names = Object.entries(fields).flatMap(([field, value]) =>
    (membersOf(resource, field, value) ?? []).filter(isMarked).map((member) => ({ field, member })),
  )
  return names.flatMap(({ field, member }) => {
    const isSame = ({ to, ...of }: Effect) => to === true && of.field === field && of.member === member
    const suspects = writes.between(0, at).filter(({ effects }) => effects.some(isSame))
    const register = { resource, item, field, member }
    return suspects.length > 0 ? [{ how: 'other' as const, register, ...tooMuch, suspects, at }] : []
  })
}

/** Judges creations whose item neither their response nor any list shows, although a list shows the fields that they sent. */
export function unlistedViolation(
  writes: RunWrites,
  { resource, path: collection, items }: ShownState,
  at: HistoryEntry,
): StateViolation | undefined {
  const isRecognizable = ({ entry: { body } }: Write) =>
    (writes.isAlone || hasMark(body)) &&
    Object.keys(Object(body)).some((name) => items.every(({ fields }) => name in fields))
  const suspects = writes.creations.filter(
    (write) =>
      write.target === collection &&
      write.effects.length === 0 &&
      mustShow(write, at, writes.lagMs) &&
      isRecognizable(write),
  )
  const register = { resource, item: collection, field: '' }
  return suspects.length > 0 ? { how: 'missing', register, ...tooLittle, suspects, at } : undefined
}

/**
 * Judges the status of an exchange about an item that certainly does not exist.
 *
 * @param write the exchange, if it is a write
 */
export function statusViolation(
  writes: RunWrites,
  how: How,
  register: Register,
  at: HistoryEntry,
  write?: Write,
): StateViolation | undefined {
  const deletion = states404(at.operation) ? deletionOf(writes, register, at) : undefined
  const statuses = { expected: ['status 404'], seen: `status ${at.status}` }
  return deletion && { how, register, view: 'item', ...statuses, suspects: [write ?? deletion], at }
}

/** Returns the deletion after which an item certainly does not exist; undefined if it may exist. */
function deletionOf({ changesOf, lagMs }: RunWrites, register: Register, at: HistoryEntry): Write | undefined {
  const { since, values } = possibleAt(changesOf(register), undefined, at, lagMs)
  const isAbsent = values?.every((each) => each === false)
  return isAbsent ? since.findLast(({ write }) => mustShow(write, at, lagMs))?.write : undefined
}
