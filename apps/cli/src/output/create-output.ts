import type { Writer } from '../context/writer.ts'
import { cellsOf, viewOf } from './columns.ts'
import { toCsvLine } from './csv.ts'
import { toJson } from './json.ts'
import { mask } from './mask.ts'
import type { Format, Output, View } from './output.ts'
import type { Query } from './query.ts'
import { createTable, toText } from './table.ts'

/** Characters that are written at once, and rows that a table looks at to find its widths. */
const chunk = 32_768
const sampleSize = 200

interface Asked {
  readonly format: Format | undefined
  readonly query: Query | undefined
}

/**
 * Makes the output of a command.
 *
 * @param asked the format, where one was asked for, and the expression, where there is one
 */
export function createOutput(out: Writer, { format, query }: Asked): Output {
  const standing = format ?? (out.isTerminal ? 'table' : undefined)
  const print = (items: AsyncIterable<unknown> | Iterable<unknown>, view: View<unknown>, as: Format) =>
    writeAll(out, render[as](out, items, view), view.isEndless ?? false)
  const printWhole = (found: unknown, as: Format) => {
    if (as === 'json') return out.write(`${toJson(found, 2)}\n`)
    if (as === 'table' && !Array.isArray(found)) return out.write(toLines(out, found))
    const items = Array.isArray(found) ? found : [found]
    return print(items, viewOf(items), as)
  }

  return {
    format: standing ?? 'json',
    isQueried: query !== undefined,
    async value(value) {
      const safe = mask(value)
      return printWhole(query ? query(safe) : safe, standing ?? 'json')
    },
    async records(rows, view) {
      const asked = standing ?? 'ndjson'
      // A list that never ends is no JSON text; lines are.
      const as = view.isEndless && asked === 'json' ? 'ndjson' : asked
      const safe = maskAll(rows, view.showsCredentials)
      if (!query) return print(safe, view as View<unknown>, as)
      if (view.isEndless) return print(queryEach(safe, query), { columns: [], fields: [], isEndless: true }, as)
      return printWhole(query(await collect(safe)), as)
    },
  }
}

async function* maskAll(rows: AsyncIterable<object> | Iterable<object>, isOpen = false): AsyncGenerator<unknown> {
  for await (const row of rows) yield isOpen ? row : mask(row)
}

async function collect(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const row of rows) all.push(row)
  return all
}

async function* queryEach(rows: AsyncIterable<unknown>, query: Query): AsyncGenerator<unknown> {
  for await (const row of rows) yield query(row)
}

/** Writes pieces of text together, or each as it comes where nobody knows when the next one does. */
async function writeAll(out: Writer, pieces: AsyncIterable<string>, atOnce: boolean): Promise<void> {
  let held = ''
  for await (const piece of pieces) {
    held += piece
    if (!atOnce && held.length < chunk) continue
    await out.write(held)
    held = ''
  }
  await out.write(held)
}

type Items = AsyncIterable<unknown> | Iterable<unknown>
type Render = (out: Writer, items: Items, view: View<unknown>) => AsyncGenerator<string>

const render: Readonly<Record<Format, Render>> = {
  async *json(_out, items) {
    let start = '['
    for await (const item of items) {
      yield `${start}\n${toJson(item)}`
      start = ','
    }
    yield start === '[' ? '[]\n' : '\n]\n'
  },
  async *ndjson(_out, items) {
    for await (const item of items) yield `${toJson(item)}\n`
  },
  async *csv(_out, items, view) {
    let { fields } = view
    let isFirst = true
    for await (const item of items) {
      if (fields.length === 0) ({ fields } = viewOf([item]))
      if (isFirst) yield toCsvLine(fields)
      isFirst = false
      yield toCsvLine(cellsOf(item, fields))
    }
    if (isFirst && fields.length > 0) yield toCsvLine(fields)
  },
  async *table(out, items, view) {
    // Rows of an endless table are not waited for: its columns say how wide they are.
    const wanted = view.isEndless ? 0 : sampleSize
    const sample: unknown[] = []
    let table = wanted === 0 && view.columns.length > 0 ? createTable(out, view.columns, sample) : undefined
    if (table) yield table.head()
    for await (const item of items) {
      if (table) {
        yield table.line(item)
        continue
      }
      sample.push(item)
      if (sample.length < wanted) continue
      table = createTable(out, view.columns.length > 0 ? view.columns : viewOf(sample).columns, sample)
      yield [table.head(), ...sample.map(table.line)].join('')
    }
    if (table || sample.length === 0) return
    const last = createTable(out, view.columns, sample)
    yield [last.head(), ...sample.map(last.line)].join('')
  },
}

/** One value for a reader: an object as a line a field, whatever else as it is. */
function toLines(out: Writer, value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${toText(value)}\n`
  const entries = Object.entries(value)
  const table = createTable(
    out,
    [
      { title: '', value: ([name]: [string, unknown]) => name, style: () => 'bold' },
      { title: '', value: ([, entry]: [string, unknown]) => entry, isFlexible: true },
    ],
    entries,
  )
  return entries.map(table.line).join('')
}
