/**
 * Compares a store with a sink: whole rows, and how often each occurs. Independent of the exporter's code: the rules for text and
 * privacy are implemented again, as simply as possible.
 */

import type { StoredLogRow as LogRow } from '@cdn/emulator'

/** A segment that was read back. */
export interface Exported {
  readonly zone: string
  readonly from: number
  readonly to: number
  readonly revision: number
  /** NDJSON lines without line feeds. */
  readonly lines: readonly string[]
}

export interface Expected {
  /** All rows of the store, including those that must not be exported. */
  readonly stored: readonly LogRow[]
  /** Only windows that begin in `[from, to)` are compared. */
  readonly from: number
  readonly to: number
  /** Whether U+FFFD is expected instead of U+0000. */
  readonly replacesNul?: boolean
  /** Whether requests from edge to shield are expected. */
  readonly hasShield?: boolean | undefined
  readonly lost?: readonly { readonly from: number; readonly to: number }[]
  readonly shownTime?: ((timestamp: number) => number) | undefined
}

/** Maximum number of mismatches in a result. A count replaces the others. */
const maxSentences = 5

type Fields = Record<string, unknown>

/**
 * Compares a zone's segments with the store.
 *
 * @returns one sentence per mismatch; after five, the number of the others. Empty if every stored row is exported once, or lies in a
 *   range that was reported as lost
 */
export function violations(segments: readonly Exported[], expected: Expected): string[] {
  const { from, to, lost = [] } = expected
  const within = segments.filter((segment) => segment.from >= from && segment.from < to)
  const mismatches = oddSegments(within)
  const counts = countStored(expected)
  for (const segment of within) {
    for (const line of segment.lines) {
      const exported = fields(line)
      const time = Date.parse(String(exported['timestamp']))
      if (!(time >= segment.from && time < segment.to)) mismatches.push(`a row is in the wrong window: ${line}`)
      const text = canonical({ ...exported, source: undefined })
      counts.set(text, (counts.get(text) ?? 0) - 1)
    }
  }
  for (const [text, count] of counts) {
    if (count < 0) mismatches.push(`${-count} too many: ${text}`)
    const time = Date.parse(String(fields(text)['timestamp']))
    if (count > 0 && !lost.some((range) => time >= range.from && time < range.to))
      mismatches.push(`${count} lost: ${text}`)
  }
  return mismatches.length > maxSentences
    ? [...mismatches.slice(0, maxSentences), `... ${mismatches.length - maxSentences} more`]
    : mismatches
}

function oddSegments(segments: readonly Exported[]): string[] {
  const mismatches: string[] = []
  const seen = new Set<string>()
  for (const { from, to, revision, lines } of segments) {
    const key = `${from}-${to}.r${revision}`
    if (seen.has(key)) mismatches.push(`segment ${key} is there twice`)
    seen.add(key)
    if (lines.length === 0) mismatches.push(`segment ${key} is empty`)
  }
  return mismatches
}

/** How often each row must be exported. */
function countStored({ stored, from, to, shownTime = Math.floor, ...rules }: Expected): Map<string, number> {
  const { replacesNul = false, hasShield = false } = rules
  const counts = new Map<string, number>()
  for (const row of stored) {
    const time = shownTime(row.timestamp)
    if (time < from || time >= to || (row.originShield && !hasShield)) continue
    const shown = toV2Row(row, time)
    const text = replacesNul ? shown.replaceAll('\\u0000', '\ufffd') : shown
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

/** A row as version 2 shows it, after the rules of the exporter. */
export function toV2Row(row: LogRow, time: number): string {
  const { visibleFrom: _, originShield: __, authorizationHeader: ___, ...rest } = row
  const { bodyBytesSent: ____, contentRange: _____, ...plain } = rest
  return canonical({
    ...plain,
    timestamp: new Date(time).toISOString(),
    pullZoneId: Number(row.pullZoneId),
    url: `${row.scheme}://${row.host}${row.path}`,
  })
}

/** A text that is the same for equal rows. Ignores null fields and the order of fields. */
function canonical(row: Fields): string {
  const entries = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
  const wellFormed = entries.map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value])
  return JSON.stringify(Object.fromEntries(wellFormed.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))))
}

function fields(line: string | undefined): Fields {
  return line === undefined ? {} : JSON.parse(line)
}
