import { defined } from '@cdn/kit/defined'
import { empty, refuse } from '../../http/refuse.ts'
import type { Variants } from '../../variants/variants.ts'
import type { Handler, HandlerRequest } from '../handler.ts'
import { createLogLineFormat } from '../logs/format.ts'
import { readDay } from '../logs/time.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createZone } from '../state/zones.ts'
import { createRandom, type Random, shuffleTies } from '../traffic/random.ts'

/** Streams the logs of a pull zone for one UTC day as a pipe-delimited file (§4.4; the supplement states the details). */
const readLogFile: Handler = async ({ operation, context: { state, variants, random }, parameters, now }) => {
  const zoneId = String(parameters['pullZoneId'])
  const zone = createZone(zoneId, state.zones.get(zoneId))
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
  // Other requests may be served while the file streams. A separate random source keeps the file independent of them.
  const fileRandom = createRandom(random.hex(8))
  const shuffle = variants.tieOrder === 'shuffled' ? fileRandom : undefined
  const order = parameters['sort'] === 'asc' ? 'asc' : 'desc'
  const range = state.logs.range(zoneId, Math.max(day.from, oldest), day.to, order)
  const fields = defined(operation.responses.find(({ line }) => line)?.line)
  const cut = readCut(parameters, variants)
  const blocks = cutLines(
    range,
    (block) => shuffleTies(block.filter(passes), shuffle),
    createLogLineFormat(fields, zone, variants),
    cut,
  )
  const parts = joinParts(blocks, (lines) => joinLines(lines, variants, fileRandom))
  const [first, second] = [parts.next(), parts.next()]
  const text: string = first.done ? '' : first.value
  if (text === '' && cut.start > 0 && variants.filePastEnd === 204) return empty(204)
  const disposition = `attachment; filename="${parameters['date']}-${zoneId}.log"`
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(parameters['download'] === true && { 'content-disposition': disposition }),
  }
  return { status: 200, headers, body: second.done ? text : concat([text, second.value], parts), compressible: true }
}
export default readLogFile

/** Which lines a request asks for: those that `matches`, from the index `start` to `end`; without a search, `matches` is undefined. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly matches: ((line: string) => boolean) | undefined
}

function readCut(
  { start = 0, end = Number.POSITIVE_INFINITY, search }: HandlerRequest['parameters'],
  variants: Variants,
): Cut {
  const fold = (text: string) => (variants.searchCase === 'insensitive' ? text.toLowerCase() : text)
  const wanted = fold(String(search ?? ''))
  return {
    // The conversion to a number is exact enough, because a file has fewer than 2^53 lines.
    start: Number(start),
    end: Number(end) + (variants.fileEnd === 'inclusive' ? 1 : 0),
    matches: wanted === '' ? undefined : (line) => fold(line).includes(wanted),
  }
}

function* cutLines(
  range: Iterable<readonly StoredLogRow[]>,
  select: (block: readonly StoredLogRow[]) => readonly StoredLogRow[],
  format: (row: StoredLogRow) => string,
  { start, end, matches }: Cut,
): Generator<readonly string[]> {
  let index = 0
  const cut = <T>(items: readonly T[]): readonly T[] => {
    const [from, to] = [Math.max(0, start - index), Math.max(0, end - index)]
    index += items.length
    return items.slice(from, to)
  }
  for (const block of range) {
    const rows = select(block)
    // Skipped rows are formatted only if a search has to match their lines.
    yield matches ? cut(rows.map(format).filter(matches)) : cut(rows).map(format)
    if (index >= end) return
  }
}

/** Minimum number of lines in a part, because each part costs a write. Only the last part may be shorter. */
const partLines = 500

function* joinParts(
  blocks: Iterable<readonly string[]>,
  join: (lines: readonly string[]) => string,
): Generator<string> {
  let lines: string[] = []
  for (const block of blocks) {
    for (const line of block) lines.push(line)
    if (lines.length < partLines) continue
    yield join(lines)
    lines = []
  }
  if (lines.length > 0) yield join(lines)
}

/** Reads the first digits of status codes; undefined if the text is invalid. */
function classesOf(text: string, { fileStatusCodes }: Variants): ReadonlySet<string> | undefined {
  const items = text.split(',')
  const form = fileStatusCodes === 'class' ? /^[1-5](\d\d)?$/ : /^[1-5]$/
  return items.every((item) => form.test(item)) ? new Set(items.map((item) => item.slice(0, 1))) : undefined
}

function* concat(first: Iterable<string>, rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}

/** Joins lines to text. For the variants, some neighbouring lines are swapped, and a blank line follows the first one. */
function joinLines(lines: readonly string[], { fileBlankLines, fileOrder }: Variants, random: Random): string {
  const ordered = [...lines]
  if (fileOrder === 'unsorted')
    for (let index = 1; index < lines.length; index++)
      if (random.below(4) === 0) ordered.splice(index - 1, 2, defined(ordered[index]), defined(ordered[index - 1]))
  const text = ordered.map((line) => `${line}\n`)
  if (fileBlankLines === 'some' && text.length > 0) text.splice(1, 0, '\n')
  return text.join('')
}
