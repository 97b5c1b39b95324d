/** The output formats: each turns items into pieces of text as they arrive. */
import { terminalText } from '@cdn/kit/text'
import { UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { columnsOf, fieldOf, fieldsOf, namesOf } from './columns.ts'
import { jsonText, toCsvLine } from './json.ts'
import { createTable, type Table, type TableColumn } from './table.ts'

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

export type Items = AsyncIterable<unknown> | Iterable<unknown>

interface Rendering {
  readonly out: Writer
  readonly view: View<unknown>
  /** The columns that the user chose. */
  readonly chosen: readonly string[] | undefined
  readonly now: () => Date
  /** Called for each field of a record that has a value but no column. */
  readonly omitted: (field: string) => Promise<void>
}

/** Number of rows from which the columns of a table and their widths are computed. */
const sampleSize = 200

/** `text` is the default of an expression: like `ndjson`, but plain values are printed without quotes. */
export const render = {
  async *json(items) {
    let start = '['
    for await (const item of items) {
      yield `${start}\n${jsonText(item)}`
      start = ','
    }
    yield start === '[' ? '[]\n' : '\n]\n'
  },
  async *ndjson(items) {
    for await (const item of items) yield `${jsonText(item)}\n`
  },
  async *text(items) {
    for await (const item of items) yield isPlain(item) ? plainLine(item) : `${jsonText(item)}\n`
  },
  /** Without declared fields, CSV has the fields of all records, so it waits for them (unless they never end). */
  async *csv(items, { view, chosen, omitted }) {
    const { isEndless, order } = view
    const choose = (known: readonly string[]) => chosen?.map((name) => findName(name, known)) ?? known
    const line = (item: unknown) => toCsvLine(fields?.map((field) => fieldOf(item, field)) ?? [])
    const held: unknown[] = []
    let fields = view.fields && choose(view.fields)
    const begin = () => {
      fields = choose(view.fields ?? fieldsOf(held, order))
      return fields.length === 0 ? '' : [toCsvLine(fields), ...held.map(line)].join('')
    }
    /** The heading comes with the first record, so that a command that fails before it prints nothing. */
    let head = fields ? toCsvLine(fields) : ''
    if (isEndless) {
      yield head
      head = ''
    }
    for await (const item of items) {
      if (fields) {
        if (!chosen) await report(item, fields, omitted)
        yield head + line(item)
        head = ''
      } else if (held.push(item) > 0 && isEndless) yield begin()
    }
    yield fields ? head : begin()
  },
  /** A table of an endless list begins with its first row. Plain values are lines without a heading. */
  async *table(items, { out, view, chosen, now, omitted }) {
    const { isEndless } = view
    const sample: unknown[] = []
    let table: Table<unknown> | undefined
    let fields: readonly string[] | undefined
    const begin = () => {
      if (table || sample.length === 0) return ''
      if (!chosen && !view.columns) fields = fieldsOf(sample, view.fields ?? view.order)
      table = createTable(out, tableColumns(view, chosen, sample), sample, now, isEndless)
      return [table.head(), ...sample.map(table.line)].join('')
    }
    try {
      for await (const item of items) {
        if (isPlain(item)) yield `${begin()}${plainLine(item)}`
        else if (table) {
          if (fields) await report(item, fields, omitted)
          yield table.line(item)
        } else if (sample.push(item) >= (isEndless ? 1 : sampleSize)) yield begin()
      }
    } finally {
      yield begin() // also before an error
    }
  },
} satisfies Readonly<Record<string, (items: Items, rendering: Rendering) => AsyncGenerator<string>>>

/** Whether a value is neither an object nor a list. */
export function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function plainLine(value: unknown): string {
  return `${terminalText(String(value ?? ''))}\n`
}

async function report(item: unknown, fields: readonly string[], omitted: Rendering['omitted']): Promise<void> {
  for (const name of namesOf(item))
    if (!fields.includes(name) && (fieldOf(item, name) ?? null) !== null) await omitted(name)
}

function tableColumns(
  { columns, fields, order }: View<unknown>,
  chosen: Rendering['chosen'],
  sample: readonly unknown[],
) {
  const derived = columnsOf(sample, fields ?? order)
  if (!chosen) return columns ?? derived
  const known = [...(columns ?? []), ...derived]
  const titles = known.map(({ title }) => title)
  return chosen.map((name): TableColumn<unknown> => {
    const column = known[titles.indexOf(findName(name, titles))] ?? { title: name, value: () => undefined }
    // A column that the user chose counts as a key. On a narrow terminal, it is cut before it is omitted.
    return { ...column, isKey: true, ...(!column.isKey && { isFlexible: true }) }
  })
}

/** @throws UsageError for an unknown column */
export function findName(name: string, known: readonly string[]): string {
  const match = known.find((each) => each === name) ?? known.find((each) => each.toLowerCase() === name.toLowerCase())
  if (match === undefined)
    throw new UsageError(`Unknown column ${JSON.stringify(name)}: expected ${[...new Set(known)].join(', ')}.`)
  return match
}
