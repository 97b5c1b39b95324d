/** The names that the suite makes, so that it finds and deletes only what it created. */
import { randomUUID } from 'node:crypto'
import { toRecord } from '@cdn/kit/record'

/** The domain of all names that the suite makes. No name below it has an address (RFC 2606). */
const ownDomain = 'conformance.invalid'

/** The last part of all names that this process makes. It distinguishes them from the names of other runs. */
export const runId = randomUUID().slice(0, 8)

/**
 * Returns a new name. Its domain shows a reader that the suite made it, and no visitor ever sends it as a hostname. The name begins with
 * a time, as a UUID of version 7 does (RFC 9562 §5.7), so that another run of the suite sees how old the name is.
 */
export function newName(): string {
  return nameOf(Date.now(), 7)
}

/**
 * Returns a name that marks fixtures as in use by a run. It has version 8, so that a reader of the fixtures can tell it from other names.
 *
 * @param until time in ms since 1970 at which the checks of the run end at the latest
 */
export function newMark(until: number): string {
  return nameOf(until, 8)
}

function nameOf(at: number, version: number): string {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${randomUUID().slice(15, 28)}${runId}.${ownDomain}`
}

const timedName = /[\da-f]{8}-[\da-f]{4}-[78][\da-f]{3}-[\da-f]{4}-[\da-f]{12}\.conformance\.invalid/gi

/** Finds the names of the suite in a text, in any case. @returns them in lower case, as they were made */
export function namesIn(text: string): string[] {
  return [...text.matchAll(timedName)].map(([name]) => name.toLowerCase())
}

/** The time in a name of the suite, in ms since 1970, and the `runId` of the process that made it. */
export function originOf(name: string): { readonly at: number; readonly run: string } {
  return { at: Number.parseInt(name.slice(0, 13).replace('-', ''), 16), run: name.slice(28, 36) }
}

export function hasRunMark(text: string): boolean {
  return namesIn(text).some((name) => name[14] === '8')
}

/** Whether a value is exactly a name that the suite made. */
export function isOwnName(value: unknown): boolean {
  return typeof value === 'string' && namesIn(value)[0] === value
}

/** Whether a value has the mark of the suite, even if something was added to it. */
export function isMarked(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().includes(ownDomain)
}

/** Whether a field of a body has the mark of the suite. */
export function hasMark(body: unknown): boolean {
  return Object.values(toRecord(body)).some(isMarked)
}
