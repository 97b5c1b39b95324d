import { CommandError, UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { cellText, lineText } from './cell.ts'
import { columnsOf, fieldOf } from './columns.ts'
import { jsonText, toCsvLine } from './json.ts'
import { secrets } from './secrets.ts'
import { createTable, type Table, type TableColumn } from './table.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

export type Query = (value: unknown) => unknown

/** Characters per write, and number of rows from which the widths of a table are computed. */
const chunk = 32_768
const sampleSize = 200
/** Maximum number of levels of data. Much deeper data would exhaust the stack. */
const maxDepth = 500

/** The form in which a command shows its records. */
export interface View<Row> {
  /** By default, the columns of a table are the fields. */
  readonly columns?: readonly TableColumn<Row>[]
  /** Fields of CSV records, in order. They never change, so that records can be appended to existing files. */
  readonly fields?: readonly string[]
  /** Fields of the contract, which come before other fields of the records. */
  readonly order?: readonly string[]
  /** Sentence for a terminal if there is no record, because an empty table looks like a failed command. */
  readonly empty?: string
  /** Whether the list is endless (tail). Each record is printed immediately, and an expression receives one record at a time. */
  readonly isEndless?: true
}

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
  { format, query, columns, showsSecrets = false, now }: OutputOptions,
) {
  const chosen = format ?? (out.isTerminal ? 'table' : undefined)
  if (columns && !/table|csv/.test(chosen ?? ''))
    throw new UsageError('--columns is for --output table and csv. To select fields of JSON: --query.')
  const prepare = (value: unknown) => {
    checkLimits(value)
    return showsSecrets ? value : secrets.value(value)
  }
  const print = (items: Items, view: View<unknown>, as: OutputFormat) =>
    writeAll(out, render[as](out, items, columns ? { ...view, chosen: columns } : view, now), view.isEndless ?? false)
  const printWhole = async (value: unknown) => {
    if (Array.isArray(value)) return print(value, {}, chosen ?? 'ndjson')
    if (chosen === undefined || chosen === 'json') return out.write(`${jsonText(value, 2)}\n`)
    return chosen === 'table' ? out.write(toLines(out, value, columns, now())) : print([value], {}, chosen)
  }

  return {
    format: chosen ?? 'json',
    /** Whether the user chose what to print, so that the output no longer has the command's shape. */
    isShaped: query !== undefined || columns !== undefined,
    async value(value: unknown): Promise<void> {
      const safe = prepare(value)
      return printWhole(query ? query(safe) : safe)
    },
    /**
     * Prints records as they arrive. An expression receives all records as one array in every format, so they are kept in memory
     * (unless the list is endless).
     */
    async records<Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row> = {}): Promise<void> {
      const requested = chosen ?? 'ndjson'
      // An endless JSON list would never be valid. NDJSON lines are valid one by one.
      const as = view.isEndless && requested === 'json' ? 'ndjson' : requested
      let isEmpty = true
      const safe = mapEach(rows, (row) => {
        isEmpty = false
        return prepare(row)
      })
      // Safe: masking only replaces texts, so the rows keep the shape that the view reads.
      if (!query) await print(safe, view as View<unknown>, as)
      else if (view.isEndless) await print(mapEach(safe, query), { isEndless: true }, as)
      else {
        const all: unknown[] = []
        for await (const row of safe) all.push(row)
        await printWhole(query(all))
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
type ChosenView = View<unknown> & { readonly chosen?: readonly string[] }
type Render = (out: Writer, items: Items, view: ChosenView, now: () => Date) => AsyncGenerator<string>

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
  async *csv(_out, items, view) {
    let fields = view.fields && fieldsOf(view, [])
    if (fields) yield toCsvLine(fields)
    for await (const item of items) {
      if (!fields) {
        fields = fieldsOf(view, [item])
        yield toCsvLine(fields)
      }
      yield toCsvLine(fields.map((field, index) => fieldOf(item, field, index)))
    }
  },
  async *table(out, items, view, now) {
    const { isEndless } = view
    const sample: unknown[] = []
    let table: Table<unknown> | undefined
    const begin = () => {
      table = createTable(out, tableColumns(view, sample), sample, now)
      return [table.head(), ...sample.map(table.line)].join('')
    }
    // An endless table does not wait for rows, so its columns declare their widths.
    if (isEndless && view.columns) yield begin()
    for await (const item of items) {
      if (table) yield table.line(item)
      else if (sample.push(item) >= (isEndless ? 1 : sampleSize)) yield begin()
    }
    if (!table && sample.length > 0) yield begin()
  },
}

function fieldsOf({ fields, order, chosen }: ChosenView, items: readonly unknown[]): readonly string[] {
  const known = fields ?? columnsOf(items, order).fields
  return chosen ? chosen.map((name) => findName(name, known)) : known
}

function tableColumns({ columns, fields, order, chosen }: ChosenView, sample: readonly unknown[]) {
  const derived = columnsOf(sample, fields ?? order)
  if (!chosen) return columns ?? derived.columns
  const known = [...(columns ?? []), ...derived.columns]
  const titles = known.map(({ title }) => title)
  return chosen.map((name) => known[titles.indexOf(findName(name, titles))] ?? { title: name, value: () => undefined })
}

function findName(name: string, known: readonly string[]): string {
  const match = known.find((each) => each === name) ?? known.find((each) => each.toLowerCase() === name.toLowerCase())
  if (match === undefined)
    throw new UsageError(`Unknown column ${JSON.stringify(name)}: expected ${[...new Set(known)].join(', ')}.`)
  return match
}

/** Formats one value for a terminal. An object has one line per field; other values are shown as text. */
function toLines(out: Writer, value: unknown, chosen: readonly string[] | undefined, now: Date): string {
  if (typeof value !== 'object' || value === null) return `${cellText(value, now)}\n`
  const fields = new Map(Object.entries(value))
  const names = chosen?.map((name) => findName(name, [...fields.keys()])) ?? [...fields.keys()]
  const columns: readonly TableColumn<string>[] = [
    { title: '', value: (name) => name, isKey: true, style: () => 'bold' },
    { title: '', value: (name) => lineText(fields.get(name), now), isKey: true, isFlexible: true },
  ]
  return names.map(createTable(out, columns, names, () => now).line).join('')
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
  // Safe: all data has the types of parsed JSON.
  return (value) => guard(() => TreeInterpreter.search(compiled, value as Data))
}
