import { defined } from '@cdn/kit/defined'
import type { EmulatorResponse } from '../../http/messages.ts'
import { empty, refuse } from '../../http/refuse.ts'
import type { Variants } from '../../variants/variants.ts'
import type { Handler } from '../handler.ts'
import { createLogLineFormat } from '../logs/line.ts'
import { inOrder } from '../logs/ordered.ts'
import { readDay } from '../logs/span.ts'
import { createPace } from '../pace.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createZone } from '../state/zones.ts'
import { createRandom, type Random } from '../traffic/random.ts'

/** Streams the logs of a pull zone for one UTC day as a pipe-delimited file (§4.4; the supplement states the details). */
const readLogFile: Handler = async ({ operation, context: { state, variants, random }, parameters, now }) => {
  const zoneId = String(parameters['pullZoneId'])
  const zone = state.zones.get(zoneId) ?? createZone(zoneId)
  const oldest = now - (operation.retentionMs ?? Number.POSITIVE_INFINITY)
  const day = readDay(String(parameters['date']))
  if (!day)
    return refuse(operation, variants.fileDateForm, { message: 'The date must be a day as MM-DD-YY.' }, variants)
  const isKept = day.to > oldest && day.from <= now
  const classes = classesOf(String(parameters['status']), variants)
  const problems = [
    ...(isKept || variants.fileDay === 'empty' ? [] : ['The date must be a day for which logs are kept.']),
    ...(classes ? [] : ['The parameter status takes digits such as 4,5.']),
  ]
  if (!classes || problems.length > 0)
    return refuse(operation, 400, { message: problems.join(' '), details: problems }, variants)

  const withShield = variants.fileShield === 'included'
  const passes = (row: StoredLogRow) =>
    (row.visibleFrom ?? 0) <= now &&
    classes.has(String(Math.floor(row.statusCode / 100))) &&
    (withShield || !row.originShield)
  // Other requests are served while the file streams. A separate random source keeps the file independent of them.
  const fileRandom = createRandom(random.hex(8))
  const order = parameters['sort'] === 'asc' ? 'asc' : 'desc'
  const shuffle = variants.tieOrder === 'shuffled' ? fileRandom : undefined
  const search = String(parameters['search'] ?? '')

  // The conversion to a number is exact enough, because a file has fewer than 2^53 lines.
  const start = Number(parameters['start'] ?? 0)
  const end = Number(parameters['end'] ?? Number.POSITIVE_INFINITY) + (variants.fileEnd === 'inclusive' ? 1 : 0)
  const range = state.logs.range(zoneId, Math.max(day.from, oldest), day.to, order)
  const rows = disturb(inOrder(range, shuffle, passes), variants, fileRandom)
  const fields = defined(operation.responses.find(({ line }) => line)?.line)
  const format = createLogLineFormat(fields, zone, variants)
  // Skipped rows are formatted only if a search has to match their lines.
  const lines =
    search === ''
      ? formatted(slice(rows, start, end), format)
      : slice(linesWith(formatted(rows, format), search, variants), start, end)
  const parts = chunks(lines, variants)
  const first = await firstPart(parts)
  if (first === undefined && start > 0 && variants.filePastEnd === 204) return empty(204)
  const name = `${parameters['date']}-${zoneId}.log`
  // A part that is not full is the last one. A short file needs no stream.
  const isLast = first === undefined || first.length < partLength
  return file(isLast ? (first ?? '') : prepend(first, parts), parameters['download'] === true, name)
}
export default readLogFile

function file(body: string | Iterable<string>, isAttachment: boolean, name: string): EmulatorResponse {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(isAttachment && { 'content-disposition': `attachment; filename="${name}"` }),
  }
  return { status: 200, headers, body, compressible: true }
}

/** Reads the first digits of status codes; undefined if the text is invalid. */
function classesOf(text: string, { fileStatusCodes }: Variants): ReadonlySet<string> | undefined {
  const items = text.split(',')
  const form = fileStatusCodes === 'class' ? /^[1-5](\d\d)?$/ : /^[1-5]$/
  return items.every((item) => form.test(item)) ? new Set(items.map((item) => item.slice(0, 1))) : undefined
}

/** In this file, an undefined among the rows or lines marks a point at which other requests can be served. */
type Rest = undefined

function* formatted(
  rows: Iterable<StoredLogRow | Rest>,
  format: (row: StoredLogRow) => string,
): Generator<string | Rest> {
  for (const row of rows) yield row && format(row)
}

/** After this many rejected or skipped lines, a `Rest` follows. */
const maxRejected = 256

/** Yields the lines that contain a text. */
function* linesWith(lines: Iterable<string | Rest>, text: string, { searchCase }: Variants): Generator<string | Rest> {
  const fold = (value: string) => (searchCase === 'insensitive' ? value.toLowerCase() : value)
  const part = fold(text)
  let rejected = 0
  for (const line of lines) {
    if (line === undefined || fold(line).includes(part)) yield line
    else if (++rejected % maxRejected === 0) yield undefined
  }
}

/** Yields the items from index `start` (inclusive) to `end` (exclusive, possibly infinite). */
function* slice<T>(items: Iterable<T | Rest>, start: number, end: number): Generator<T | Rest> {
  let index = 0
  if (end <= start) return
  for (const item of items) {
    if (item === undefined) yield item
    else if (index >= start) yield item
    else if (index % maxRejected === 0) yield undefined
    if (item !== undefined && ++index >= end) return
  }
}

/** Minimum length of a part in characters, because each part costs a write. Only the last part may be shorter. */
const partLength = 65_536

/** Joins lines to parts. A `Rest` becomes an empty part. */
function* chunks(lines: Iterable<string | Rest>, { fileBlankLines }: Variants): Generator<string> {
  const blank = fileBlankLines === 'some' ? '\n' : ''
  let chunk = ''
  for (const line of lines) {
    if (line === undefined) yield ''
    else chunk += `${line}\n${chunk === '' ? blank : ''}`
    if (chunk.length < partLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Returns the first non-empty part; undefined if the file is empty. */
async function firstPart(parts: Iterator<string>): Promise<string | undefined> {
  const pace = createPace()
  for (let next = parts.next(); !next.done; next = parts.next()) {
    if (next.value !== '') return next.value
    if (pace.isDue()) await pace.rest()
  }
  return undefined
}

function* prepend(first: string, rest: Iterable<string>): Generator<string> {
  yield first
  yield* rest
}

/** Swaps some neighbouring rows if the variant says that files are unsorted. */
function* disturb(
  rows: Iterable<StoredLogRow | Rest>,
  { fileOrder }: Variants,
  random: Random,
): Generator<StoredLogRow | Rest> {
  if (fileOrder === 'sorted') return yield* rows
  let held: StoredLogRow | undefined
  for (const row of rows) {
    if (row === undefined) yield row
    else if (held === undefined && random.below(4) === 0) held = row
    else {
      yield row
      if (held) yield held
      held = undefined
    }
  }
  if (held) yield held
}
