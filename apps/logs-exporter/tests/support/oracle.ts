/**
 * What the store holds against what a sink holds, whole rows with their multiplicity. Nothing here is the exporter's: the
 * rules for text and privacy (§7 of the design) are written once more, in the plainest way.
 */
import type { LogRow } from '@cdn/emulator'

/** A segment as it was read back. */
export interface Exported {
  readonly zone: string
  readonly from: number
  readonly to: number
  readonly revision: number
  /** NDJSON lines without their ends. */
  readonly lines: readonly string[]
}

/** What is expected of a zone. */
export interface Expected {
  /** Rows of the store, also those that are not to be exported. */
  readonly stored: readonly LogRow[]
  /** Windows that begin in `[from, to)` are looked at. */
  readonly from: number
  readonly to: number
  readonly isExtended?: boolean | undefined
  /** U+0000 is expected as U+FFFD. */
  readonly replacesNul?: boolean
  /** Version 1 shows requests from edge to shield as well. */
  readonly v1HasShield?: boolean | undefined
  /** Ranges that are named as lost. */
  readonly lost?: readonly { readonly from: number; readonly to: number }[]
  readonly shownTime?: ((timestamp: number) => number) | undefined
}

/** More sentences than these say nothing new. */
const mostTold = 5

type Fields = Record<string, unknown>

/**
 * Compares a zone's segments with the store.
 *
 * @returns what is wrong, one sentence each; none where every stored row is exported once, or lies in a range that is named
 *   as lost
 */
export function violations(segments: readonly Exported[], expected: Expected): string[] {
  const {
    stored,
    from,
    to,
    isExtended = false,
    replacesNul = false,
    v1HasShield = false,
    lost = [],
    shownTime = Math.floor,
  } = expected
  const found: string[] = []
  const within = segments.filter((segment) => segment.from >= from && segment.from < to)
  const seen = new Set<string>()
  for (const { from: start, to: end, revision, lines } of within) {
    const key = `${start}-${end}.r${revision}`
    if (seen.has(key)) found.push(`segment ${key} is there twice`)
    seen.add(key)
    if (lines.length === 0) found.push(`segment ${key} is empty`)
  }
  const byV1 = new Set(within.filter(({ lines }) => fields(lines[0])['source'] === 'v1').map((segment) => segment.from))
  const windowOf = windowFinder(within)
  const isV1 = (time: number) => byV1.has(windowOf(time) ?? Number.NaN)

  const counts = new Map<string, number>()
  for (const row of stored) {
    const time = shownTime(row.timestamp)
    if (time < from || time >= to || (row.originShield && !(v1HasShield && isV1(time)))) continue
    const shown = isV1(time) ? asV1(row, time, isExtended) : asV2(row, time, isExtended)
    const text = replacesNul ? shown.replaceAll('\\u0000', '\ufffd') : shown
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  for (const segment of within) {
    for (const line of segment.lines) {
      const exported = fields(line)
      const time = Date.parse(String(exported['timestamp']))
      if (!(time >= segment.from && time < segment.to)) found.push(`a row is in the wrong window: ${line}`)
      const text = byV1.has(segment.from) ? v1Columns(exported) : canonical({ ...exported, source: undefined })
      counts.set(text, (counts.get(text) ?? 0) - 1)
    }
  }
  for (const [text, count] of counts) {
    if (count < 0) found.push(`${-count} too many: ${text}`)
    const time = Date.parse(String(fields(text)['timestamp']))
    if (count > 0 && !lost.some((range) => time >= range.from && time < range.to)) found.push(`${count} lost: ${text}`)
  }
  return found.length > mostTold ? [...found.slice(0, mostTold), `... ${found.length - mostTold} more`] : found
}

/** A row as version 2 shows it, by the rules of the exporter. */
function asV2(row: LogRow, time: number, isExtended: boolean): string {
  const { visibleFrom: _, originShield: __, authorizationHeader: ___, ...rest } = row
  const { bodyBytesSent, contentRange, ...plain } = rest
  return canonical({
    ...plain,
    ...(isExtended && { bodyBytesSent, contentRange }),
    timestamp: new Date(time).toISOString(),
    pullZoneId: Number(row.pullZoneId),
    url: `${row.scheme}://${row.host}${row.path}`,
  })
}

/** A row as version 1 shows it: fewer fields, and text without pipes and line breaks; `-` and nothing are absent. */
function asV1(row: LogRow, time: number, isExtended: boolean): string {
  return v1Columns(fields(asV2(row, time, isExtended)))
}

const columns =
  'timestamp pullZoneId requestId cacheStatus statusCode bytesSent remoteIp countryCode userAgent referer edgeLocation url bodyBytesSent contentRange'.split(
    ' ',
  )

function v1Columns(row: Fields): string {
  const shown = columns.map((name) => {
    const value = row[name]
    const text = typeof value === 'string' ? value.replaceAll(/[|\r\n]/g, '') : value
    return [name, name !== 'cacheStatus' && (text === '' || text === '-') ? null : text]
  })
  return canonical(Object.fromEntries(shown))
}

/** A row as a text that is the same for rows that are the same: null and absent, and the order of fields, do not count. */
function canonical(row: Fields): string {
  const entries = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
  const wellFormed = entries.map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value])
  return JSON.stringify(Object.fromEntries(wellFormed.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))))
}

function fields(line: string | undefined): Fields {
  return line === undefined ? {} : (JSON.parse(line) as Fields)
}

/** Finds the start of the exported window that holds a time. */
function windowFinder(segments: readonly Exported[]): (time: number) => number | undefined {
  const windows = segments.filter(({ revision }) => revision === 0).sort((a, b) => a.from - b.from)
  return (time) => {
    let [low, high] = [0, windows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((windows[middle]?.from ?? 0) <= time) low = middle + 1
      else high = middle
    }
    const window = windows[low - 1]
    return window && time < window.to ? window.from : undefined
  }
}
