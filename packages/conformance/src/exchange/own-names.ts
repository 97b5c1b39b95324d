/** The names that the suite makes, so that it finds and deletes only what it created. */
import { randomUUID } from 'node:crypto'
import { toRecord } from '@cdn/kit/record'

/** The domain of all names that the suite makes. No name below it has an address (RFC 2606). */
const ownDomain = 'conformance.invalid'

/**
 * Returns a new name. Its domain shows a reader that the suite made it, and no visitor ever sends it as a hostname. It begins with the time,
 * as a UUID of version 7 does (RFC 9562 §5.7), so that another run of the suite sees how old it is.
 */
export function newName(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}.${ownDomain}`
}

const timedName = /([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}\.conformance\.invalid/gi

/** Finds the names of the suite in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(timedName)].map(([name]) => name)
}

/** Finds the names of the suite in a text. @returns the times at which they were made, in ms since 1970 */
export function timesOfNames(text: string): number[] {
  return [...text.matchAll(timedName)].map(([, high = '', low = '']) => Number.parseInt(high + low, 16))
}

/** Whether a value is exactly a name that the suite made. */
export function isOwnName(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.conformance\.invalid$/.test(value)
}

/** Whether a value has the mark of the suite, even if something was added to it. */
export function isMarked(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().includes(ownDomain)
}

/** Whether a field of a body has the mark of the suite. */
export function hasMark(body: unknown): boolean {
  return Object.values(toRecord(body)).some(isMarked)
}
