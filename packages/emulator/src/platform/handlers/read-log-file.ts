import { assertDefined } from '@cdn/kit/assert-defined'
import { empty, refuse } from '../../exchange/refuse.ts'
import type { Variants } from '../../variants/variants.ts'
import type { Handler, HandlerRequest } from '../handler.ts'
import { createLogLineFormat } from '../logs/format.ts'
import { createWindow, type Selection, selectRows } from '../logs/selection.ts'
import { readDay } from '../logs/time.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createZone } from '../state/zones.ts'
import { createRandom, type Random } from '../traffic/random.ts'

/** Streams the logs of a pull zone for one UTC day as a pipe-delimited file (§4.4; the supplement states the details). */
const readLogFile: Handler = async (request) => {
  const { operation, context, parameters, now } = request
  const { variants } = context
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

  const zoneId = String(parameters['pullZoneId'])
  const lines = linesOf(request, {
    zoneId,
    from: Math.max(day.from, oldest),
    to: day.to,
    order: parameters['sort'] === 'asc' ? 'asc' : 'desc',
    withShield: variants.fileShield === 'included',
    passes: ({ statusCode }) => classes.has(String(Math.floor(statusCode / 100))),
  })
  const parts = partsOf(lines, variants, createRandom(context.random.hex(8)))
  const [first, second] = [parts.next(), parts.next()]
  const text: string = first.done ? '' : first.value
  if (text === '' && startOf(parameters) > 0 && variants.filePastEnd === 204) return empty(204)
  const disposition = `attachment; filename="${parameters['date']}-${zoneId}.log"`
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(parameters['download'] === true && { 'content-disposition': disposition }),
  }
  return { status: 200, headers, body: second.done ? text : concat([text, second.value], parts), compressible: true }
}
export default readLogFile

/** Reads the first digits of status codes; undefined if the text is invalid. */
function classesOf(text: string, { fileStatusCodes }: Variants): ReadonlySet<string> | undefined {
  const items = text.split(',')
  const form = fileStatusCodes === 'class' ? /^[1-5](\d\d)?$/ : /^[1-5]$/
  return items.every((item) => form.test(item)) ? new Set(items.map((item) => item.slice(0, 1))) : undefined
}

/** The index of the first line. The conversion to a number is exact enough, because a file has fewer than 2^53 lines. */
function startOf(parameters: HandlerRequest['parameters']): number {
  return Number(parameters['start'] ?? 0)
}

/** Yields the lines that match `search`, from `start` to `end`, in blocks. */
function* linesOf(request: HandlerRequest, selection: Selection): Generator<readonly string[]> {
  const { operation, context, parameters } = request
  const { state, variants } = context
  const { zoneId } = selection
  const fields = assertDefined(operation.responses.find(({ line }) => line)?.line)
  const format = createLogLineFormat(fields, createZone(zoneId, state.zones.get(zoneId)), variants)
  const fold = (text: string) => (variants.searchCase === 'insensitive' ? text.toLowerCase() : text)
  const search = fold(String(parameters['search'] ?? ''))
  const end = Number(parameters['end'] ?? Number.POSITIVE_INFINITY) + (variants.fileEnd === 'inclusive' ? 1 : 0)
  const file = createWindow(startOf(parameters), end)
  // Skipped rows are formatted only if a search has to match their lines.
  const read = (rows: readonly StoredLogRow[]) =>
    search === ''
      ? file.cut(rows).map(format)
      : file.cut(rows.map(format).filter((line) => fold(line).includes(search)))
  for (const rows of selectRows(request, selection)) {
    yield read(rows)
    if (file.passed() >= end) return
  }
}

/** Minimum number of lines in a part, because each part costs a write. Only the last part may be shorter. */
const partLines = 500

function* partsOf(blocks: Iterable<readonly string[]>, variants: Variants, random: Random): Generator<string> {
  let lines: string[] = []
  for (const block of blocks) {
    for (const line of block) lines.push(line)
    if (lines.length < partLines) continue
    yield joinLines(lines, variants, random)
    lines = []
  }
  if (lines.length > 0) yield joinLines(lines, variants, random)
}

/** Joins the lines of a part. Depending on the variants, some neighbouring lines are swapped, or a blank line follows the first line. */
function joinLines(lines: readonly string[], { fileBlankLines, fileOrder }: Variants, random: Random): string {
  const ordered = [...lines]
  if (fileOrder === 'unsorted')
    for (let index = 1; index < lines.length; index++)
      if (random.below(4) === 0)
        ordered.splice(index - 1, 2, assertDefined(ordered[index]), assertDefined(ordered[index - 1]))
  const text = ordered.map((line) => `${line}\n`)
  if (fileBlankLines === 'some' && text.length > 0) text.splice(1, 0, '\n')
  return text.join('')
}

function* concat(first: Iterable<string>, rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}
