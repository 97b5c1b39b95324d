import { cleanLines, terminalText } from '@cdn/kit/text'
import { CommandError, UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { jsonText } from './json.ts'
import type { Query } from './query.ts'
import { recordLines } from './record.ts'
import { findName, type Items, isPlain, render, type View } from './render.ts'
import { secrets } from './secrets.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Characters per write. */
const chunk = 32_768
/** Maximum number of levels of data. Much deeper data would exhaust the stack. */
const maxDepth = 500

interface OutputOptions {
  /** By default, a table on a terminal; otherwise NDJSON for a list and JSON for any other value. */
  readonly format: OutputFormat | undefined
  readonly query: Query | undefined
  readonly columns?: readonly string[] | undefined
  /** Whether to show credentials; hidden by default. */
  readonly showsSecrets?: boolean
  readonly now: () => Date
}

/** Prints data on standard output in the chosen format. */
export type DataOutput = ReturnType<typeof createOutput>

/** @throws UsageError if columns are chosen for a format that has none */
export function createOutput(
  { out, err }: { readonly out: Writer; readonly err: Writer },
  { format, query, columns: chosen, showsSecrets = false, now }: OutputOptions,
) {
  const requested = format ?? (out.isTerminal ? 'table' : undefined)
  const listFormat = requested ?? (query ? 'text' : 'ndjson')
  if (chosen && !/table|csv/.test(requested ?? ''))
    throw new UsageError('--columns is for --output table and csv. To select fields of JSON: --query.')
  const prepare = (value: unknown) => {
    checkLimits(value)
    return showsSecrets ? value : secrets.value(value)
  }
  const noted = new Set<string>()
  const omitted = async (field: string) => {
    if (noted.has(field)) return
    noted.add(field)
    await err.write(`cdn: No column shows the field ${terminalText(field)} of some records: -o ndjson prints it.\n`)
  }
  const print = (items: Items, view: View<unknown>, as: keyof typeof render) =>
    writeAll(out, render[as](items, { out, view, chosen, now, omitted }), view.isEndless ?? false)
  /** @param view form of the list from which an expression took the value */
  const printWhole = async (value: unknown, view: View<unknown> = {}) => {
    if (Array.isArray(value)) {
      const fields = query?.fields
      return print(value, fields === 'same' ? view : fields ? { order: fields } : {}, listFormat)
    }
    if (isPlain(value) && (requested === 'table' || (requested === undefined && query))) {
      const text = String(value ?? '')
      return out.write(`${out.isTerminal ? terminalText(text) : cleanLines(text)}\n`)
    }
    if (requested === undefined || requested === 'json') return out.write(`${jsonText(value, 2)}\n`)
    if (requested !== 'table') return print([value], {}, requested)
    const fields = new Map(Object.entries(value as object)) // not plain, as tested above
    const names = chosen?.map((name) => findName(name, [...fields.keys()])) ?? [...fields.keys()]
    return out.write(
      recordLines(
        out,
        names.map((name) => [name, fields.get(name)]),
        now(),
      ),
    )
  }

  return {
    format: requested ?? 'json',
    hasQuery: query !== undefined,
    hasColumns: chosen !== undefined,
    async value(value: unknown): Promise<void> {
      const safe = prepare(value)
      return printWhole(query ? query(safe) : safe)
    },
    /**
     * Prints records as they arrive. An expression receives all records as one array in every format, so they are kept in memory
     * (unless the list is endless).
     */
    async records<Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row> = {}): Promise<void> {
      // Safe: masking only replaces texts, so the rows keep the shape that the view reads.
      const anyView = view as View<unknown>
      // An endless JSON list would never be valid. NDJSON lines are valid one by one.
      const as = view.isEndless && listFormat === 'json' ? 'ndjson' : listFormat
      let isEmpty = true
      const safe = mapEach(rows, (row) => {
        isEmpty = false
        return prepare(row)
      })
      if (!query) await print(safe, anyView, as)
      else if (view.isEndless) await print(mapEach(safe, query), { isEndless: true }, as)
      else {
        const all: unknown[] = []
        for await (const row of safe) all.push(row)
        await printWhole(query(all), anyView)
      }
      if (isEmpty && view.empty !== undefined && err.isTerminal) await err.write(`cdn: ${view.empty}\n`)
    },
  }
}

async function* mapEach(rows: Items, change: (row: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const row of rows) yield await change(row)
}

function checkLimits(value: unknown): void {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new CommandError(`The data has more than ${maxDepth} levels, so it cannot be printed.`)
    // A JSON parser turns a number that is too large into Infinity, which JSON cannot represent.
    if (level.includes(Infinity) || level.includes(-Infinity))
      throw new CommandError('The data has a number that is too large, so it cannot be printed.')
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
}

/**
 * Joins pieces of text into large writes. In an endless list, writes each piece immediately. If the records end with an error, writes
 * those before it: the error of a range of logs names only the rows after them.
 */
async function writeAll(out: Writer, pieces: AsyncIterable<string>, atOnce: boolean): Promise<void> {
  let held = ''
  try {
    for await (const piece of pieces) {
      held += piece
      if (!atOnce && held.length < chunk) continue
      await out.write(held)
      held = ''
    }
  } finally {
    await out.write(held)
  }
}
