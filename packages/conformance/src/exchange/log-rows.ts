/** Lines of a file of version 1, and what both versions share: the type of a row, filters with personal values, hidden addresses. */
import { type Operation, plainSchema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { memoize } from '@cdn/kit/memoize'
import { canonical, statedPart } from './canonical.ts'
import type { ReceivedResponse } from './exchange.ts'
import { operationOf } from './resources.ts'
import { resolverOf } from './schema-example.ts'

/** A log entry with all its fields, including fields unknown to the contract (supplement). */
export type Row = Readonly<Record<string, unknown>>

/** Filters whose values come from rows, so they may be about a visitor. Issues and failure messages leave these values out. */
export const personalFilters = [
  'remoteIp',
  'urlContains',
  'userAgentContains',
  'refererContains',
  'requestId',
  'search',
]

/** Returns the lines of a file, without blank lines (supplement). A line may end with CRLF. */
export function linesOf({ text }: Pick<ReceivedResponse, 'text'>): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '')
}

/** Returns a line's time in milliseconds since 1970; NaN for a line without a time. */
export function timeOfLine(line: string): number {
  return Number(parseLogLine(line)['timestamp'])
}

/** Parses a line into named fields. `-` means that a field is absent, except in the first field (supplement). */
export function parseLogLine(text: string): Readonly<Record<string, string>> {
  const names = lineFields().map(({ name }) => name)
  const fields = text.split('|').map((value, index) => [names[index] ?? `field ${index}`, value] as const)
  return Object.fromEntries(fields.filter(([, value], index) => value !== '-' || index === 0))
}

/** Returns the stated fields of a row as text. Equal rows have equal texts, even if a server adds other fields. */
export function rowText(row: Row): string {
  return canonical(statedRow(operationOf('query-logs'))(row))
}

const statedRow = memoize((operation: Operation) => {
  const resolve = resolverOf(operation)
  const page = operation.responses.find(({ status }) => status === '200')?.content['application/json'] ?? {}
  const { data = {} } = plainSchema(page, resolve).properties ?? {}
  return statedPart(plainSchema(data, resolve).items ?? {}, resolve)
})

/** Whether an address is hidden as a whole (supplement). */
export function isDropped(address: unknown): boolean {
  return /^(0\.0\.0\.0|::)$/.test(String(address))
}

/** Returns the fields of a line of version 1, in order, as the contract states them. */
export function lineFields() {
  return assertDefined(operationOf('read-log-file').responses.find(({ line }) => line)?.line)
}
