import type { Answer } from '../http/call.ts'
import { empty, refuse } from '../http/refuse.ts'
import { createLineFormat } from '../logs/line.ts'
import { inOrder } from '../logs/ordered.ts'
import { readDay, type Span } from '../logs/span.ts'
import type { Handler } from '../platform.ts'
import type { LogRow } from '../state/log-row.ts'
import { createZone } from '../state/state.ts'
import { createRandom, type Random } from '../traffic/random.ts'
import type { Variants } from '../variants.ts'

/** The logs of a pull zone for one UTC day as a pipe-delimited file, streamed (§4.4; the rest from the supplement). */
const readLogFile: Handler = ({ operation, platform: { state, variants, random }, parameters, now }) => {
  const zoneId = String(parameters['pullZoneId'])
  const zone = state.zones.get(zoneId) ?? createZone(zoneId)
  const oldest = now - (operation.retentionMs ?? Number.POSITIVE_INFINITY)
  const day = readDay(String(parameters['date']))
  const isKept = day && day.to > oldest && day.from <= now
  const classes = String(parameters['status']).split(',')
  const problems = [
    ...(day && (isKept || variants.fileDay === 'empty')
      ? []
      : ['The date must be a day for which logs are kept, as MM-DD-YY.']),
    ...(classes.every((item) => /^[1-5]$/.test(item)) ? [] : ['The parameter status takes digits such as 4,5.']),
  ]
  if (!day || problems.length > 0)
    return refuse(operation, 400, { message: problems.join(' '), details: problems }, variants)

  const isShown = (row: LogRow) =>
    (row.visibleFrom ?? 0) <= now &&
    classes.includes(String(Math.floor(row.statusCode / 100))) &&
    (variants.fileShield === 'included' || !row.originShield)
  const span: Span = { from: Math.max(day.from, oldest), to: day.to }
  // The file is read while it is made: numbers of its own keep it apart from requests in between.
  const own = createRandom(random.hex(8))
  const ordering = {
    order: parameters['sort'] === 'asc' ? ('asc' as const) : ('desc' as const),
    random: variants.tieOrder === 'shuffled' ? own : undefined,
  }
  const format = createLineFormat(operation.responses.find(({ line }) => line)?.line ?? [], zone, variants)
  const rows = disturb(inOrder(state.logs.range(zoneId, span.from, span.to), ordering, isShown), variants, own)
  const found = holding(rows, format, String(parameters['search'] ?? ''), variants)

  // No file has 2^53 lines, so counting needs no bigint.
  const start = Number(parameters['start'] ?? 0)
  const end = Number(parameters['end'] ?? Number.POSITIVE_INFINITY) + (variants.fileEnd === 'inclusive' ? 1 : 0)
  const lines = slice(found, start, end)
  const first = lines.next()
  if (first.done && start > 0 && variants.filePastEnd === 204) return empty(204)
  return file(
    first.done ? [] : chunks(first.value, lines, variants),
    parameters['download'] === true,
    `${parameters['date']}-${zoneId}.log`,
  )
}
export default readLogFile

function file(body: Iterable<string>, isAttachment: boolean, name: string): Answer {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(isAttachment && { 'content-disposition': `attachment; filename="${name}"` }),
  }
  return { status: 200, headers, body }
}

/** Lines that hold a text. */
function* holding(
  rows: Iterable<LogRow>,
  format: (row: LogRow) => string,
  text: string,
  { searchCase }: Variants,
): Generator<string> {
  const fold = (value: string) => (searchCase === 'insensitive' ? value.toLowerCase() : value)
  const wanted = fold(text)
  for (const row of rows) {
    const line = format(row)
    if (wanted === '' || fold(line).includes(wanted)) yield line
  }
}

/** Lines from index `start` up to and without `end`; to the last where there is no end. */
function* slice(lines: Iterable<string>, start: number, end: number): Generator<string, undefined> {
  let index = 0
  for (const line of lines) {
    if (index >= end) return
    if (index++ >= start) yield line
  }
}

/** Parts of a file, large enough to be worth a write each. */
function* chunks(first: string, rest: Iterable<string>, { fileBlankLines }: Variants): Generator<string> {
  const size = 65_536
  const blank = fileBlankLines === 'some' ? '\n' : ''
  let chunk = `${first}\n${blank}`
  for (const line of rest) {
    chunk += `${line}\n`
    if (chunk.length < size) continue
    yield chunk + blank
    chunk = ''
  }
  yield chunk + blank
}

/** Swaps neighbours now and then where files are not sorted. */
function* disturb(rows: Iterable<LogRow>, { fileOrder }: Variants, random: Random): Generator<LogRow> {
  if (fileOrder === 'sorted') return yield* rows
  let held: LogRow | undefined
  for (const row of rows) {
    if (held === undefined && random.below(4) === 0) held = row
    else {
      yield row
      if (held) yield held
      held = undefined
    }
  }
  if (held) yield held
}
