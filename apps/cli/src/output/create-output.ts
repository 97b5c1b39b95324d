import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import { UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { jsonText, toCsvLine } from './json.ts'
import { mask } from './mask.ts'
import { cellText, createTable, type Table, type TableColumn } from './table.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

export type Query = (value: unknown) => unknown

/** Characters per write, and number of rows from which the widths of a table are computed. */
const chunk = 32_768
const sampleSize = 200

/** Presentation of records. */
export interface View<Row> {
  /** By default, the columns and the fields are those of the first records. */
  readonly columns?: readonly TableColumn<Row>[]
  /** Fields of CSV records, in order. They never change, so that records can be appended to existing files. */
  readonly fields?: readonly string[]
  /** Whether the list is endless (tail). Each record is printed immediately, and an expression receives one record at a time. */
  readonly isEndless?: true
}

interface OutputOptions {
  /** By default, a table on a terminal; otherwise JSON for one value and NDJSON for a list. */
  readonly format: OutputFormat | undefined
  readonly query: Query | undefined
  /** Whether to show credentials; hidden by default. */
  readonly showsSecrets?: boolean
}

/** Prints data on standard output in the chosen format. */
export type DataOutput = ReturnType<typeof createOutput>

/** Creates the output of a command. */
export function createOutput(out: Writer, { format, query, showsSecrets = false }: OutputOptions) {
  const chosen = format ?? (out.isTerminal ? 'table' : undefined)
  const print = (items: Items, view: View<unknown>, as: OutputFormat) =>
    writeAll(out, render[as](out, items, view), view.isEndless ?? false)
  const printWhole = async (value: unknown, as: OutputFormat) => {
    if (as === 'json') return out.write(`${jsonText(value, 2)}\n`)
    if (as === 'table' && !Array.isArray(value)) return out.write(toLines(out, value))
    const items = Array.isArray(value) ? value : [value]
    return print(items, items.length > 0 ? viewOf(items) : {}, as)
  }

  return {
    format: chosen ?? 'json',
    /** Whether a JMESPath expression transforms the data, so that the output no longer has the command's shape. */
    isQueried: query !== undefined,
    /** Prints one value. */
    async value(value: unknown): Promise<void> {
      const safe = showsSecrets ? value : mask(value)
      return printWhole(query ? query(safe) : safe, chosen ?? 'json')
    },
    /**
     * Prints records as they arrive. An expression receives all records as one array in every format, so they are kept in memory.
     */
    async records<Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row> = {}): Promise<void> {
      const requested = chosen ?? 'ndjson'
      // An endless JSON list would never be valid. NDJSON lines are valid one by one.
      const as = view.isEndless && requested === 'json' ? 'ndjson' : requested
      const safe = showsSecrets ? rows : mapEach(rows, mask)
      // Safe: `mask` only replaces texts, so the rows keep the shape that the view reads.
      if (!query) return print(safe, view as View<unknown>, as)
      if (view.isEndless) return print(mapEach(safe, query), { isEndless: true }, as)
      const all: unknown[] = []
      for await (const row of safe) all.push(row)
      return printWhole(query(all), as)
    },
  }
}

async function* mapEach(rows: Items, change: (row: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const row of rows) yield change(row)
}

/** Joins pieces of text into large writes. In an endless list, writes each piece immediately. */
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

const render: Readonly<Record<OutputFormat, Render>> = {
  async *json(_out, items) {
    let start = '['
    for await (const item of items) {
      yield `${start}\n${jsonText(item)}`
      start = ','
    }
    yield start === '[' ? '[]\n' : '\n]\n'
  },
  async *ndjson(_out, items) {
    for await (const item of items) yield `${jsonText(item)}\n`
  },
  async *csv(_out, items, { fields: stated }) {
    let fields = stated
    if (fields) yield toCsvLine(fields)
    for await (const item of items) {
      if (!fields) {
        fields = viewOf([item]).fields
        yield toCsvLine(fields)
      }
      yield toCsvLine(fields.map((field, index) => cellOf(item, field, index)))
    }
  },
  async *table(out, items, { columns, isEndless }) {
    const sample: unknown[] = []
    let table: Table<unknown> | undefined
    const begin = () => {
      table = createTable(out, columns ?? viewOf(sample).columns, sample)
      return [table.head(), ...sample.map(table.line)].join('')
    }
    // An endless table does not wait for rows, so its columns declare their widths.
    if (isEndless && columns) yield begin()
    for await (const item of items) {
      if (table) yield table.line(item)
      else if (sample.push(item) >= (isEndless ? 1 : sampleSize)) yield begin()
    }
    if (!table && sample.length > 0) yield begin()
  },
}

/** One value for people. An object has one line per field; other values are shown as text. */
function toLines(out: Writer, value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${cellText(value)}\n`
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

/**
 * The view of data without a declared shape: the result of an expression, or a response of the platform.
 *
 * @param items the columns of an object are its keys, those of a list its positions; other values have the column `value`
 */
function viewOf(items: readonly unknown[]) {
  const keys = [...new Set(items.flatMap(keysOf))]
  const columns = keys.map(
    (key, index): TableColumn<unknown> => ({
      title: terminalText(key),
      value: (item) => cellOf(item, key, index),
      isFlexible: true,
    }),
  )
  return { columns, fields: keys }
}

function keysOf(item: unknown): string[] {
  if (Array.isArray(item)) return item.map((_, index) => String(index + 1))
  return isRecord(item) ? Object.keys(item) : ['value']
}

function cellOf(item: unknown, field: string, index: number): unknown {
  if (Array.isArray(item)) return item[index]
  return isRecord(item) ? item[field] : index === 0 ? item : undefined
}

/**
 * Compiles a JMESPath expression. Call it before any request, so that an invalid expression fails early.
 *
 * @returns a function that throws UsageError if the expression cannot be applied to the value
 * @throws UsageError if the expression is invalid
 */
export async function compileQuery(expression: string): Promise<Query> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath')
  const guard = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new UsageError(
        `--query ${JSON.stringify(expression)} is not a valid JMESPath expression for this data: ${why}`,
      )
    }
  }
  const compiled = guard(() => compile(expression))
  type Data = Parameters<typeof TreeInterpreter.search>[1]
  // Safe: all data was parsed from JSON.
  return (value) => guard(() => TreeInterpreter.search(compiled, value as Data))
}
