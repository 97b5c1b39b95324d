import { describe, expect, test } from 'vitest'
import { createStream } from '../../tests/support/cli.ts'
import { UsageError } from '../terminal/command-error.ts'
import { createWriter } from '../terminal/writer.ts'
import { compileQuery, createOutput, type OutputFormat, outputFormats, type View } from './create-output.ts'

interface Row {
  readonly id: number | bigint
  readonly path: string | null
}

const rows: readonly Row[] = [
  { id: 1, path: '/a' },
  { id: 9007199254740993n, path: '=cmd()\u001b[2J' },
  { id: 3, path: null },
]
const view: View<Row> = {
  columns: [
    { title: 'ID', value: ({ id }) => id, align: 'right', isKey: true },
    { title: 'PATH', value: ({ path }) => path, isKey: true, isFlexible: true },
  ],
  fields: ['id', 'path', 'absent'],
}

interface PrintOptions {
  readonly format?: OutputFormat
  readonly query?: string
  readonly columns?: readonly string[]
  /** Width of the terminal. */
  readonly terminal?: number
}

async function open({ format, query, columns, terminal }: PrintOptions) {
  const { stream, text } = createStream(terminal)
  const compiled = query === undefined ? undefined : await compileQuery(query)
  return {
    output: createOutput(
      { out: createWriter(stream), err: createWriter(stream) },
      { format, query: compiled, columns, now: () => new Date(0) },
    ),
    text,
  }
}

async function print(
  options: PrintOptions,
  shown: Partial<View<Row>> = {},
  records: Iterable<Row> = rows,
): Promise<string> {
  const { output, text } = await open(options)
  await output.records(records, { ...view, ...shown })
  return text()
}

async function printValue(options: PrintOptions, value: unknown): Promise<string> {
  const { output, text } = await open(options)
  await output.value(value)
  return text()
}

describe('records', () => {
  const ndjson = '{"id":1,"path":"/a"}\n{"id":9007199254740993,"path":"=cmd()\\u001b[2J"}\n{"id":3,"path":null}\n'

  test('are NDJSON without a terminal', async () => {
    expect(await print({})).toBe(ndjson)
    expect(await print({ format: 'ndjson' })).toBe(ndjson)
  })

  test('are one JSON array, even if empty', async () => {
    expect(await print({ format: 'json' })).toBe(`[\n${ndjson.trim().replaceAll('\n', ',\n')}\n]\n`)
    expect(await print({ format: 'json' }, {}, [])).toBe('[]\n')
  })

  test('that never end are lines, since an array would never be complete', async () => {
    expect(await print({ format: 'json' }, { isEndless: true })).toBe(ndjson)
  })

  test('are CSV with the declared fields, even if empty', async () => {
    const head = 'id,path,absent\n'
    expect(await print({ format: 'csv' })).toBe(`${head}1,/a,\n9007199254740993,'=cmd()\\u001b[2J,\n3,,\n`)
    expect(await print({ format: 'csv' }, {}, [])).toBe(head)
  })

  test('have the chosen columns, in their order', async () => {
    const chosen = { columns: ['path', 'id'], terminal: 80 }
    expect(await print({ format: 'csv', ...chosen })).toMatch(/^path,id\n\/a,1\n/)
    expect(await print({ format: 'table', ...chosen })).toMatch(/^path +id\n\/a +1\n/)
    await expect(print({ format: 'csv', columns: ['size'] })).rejects.toThrow(
      'Unknown column "size": expected id, path, absent.',
    )
    await expect(print({ format: 'json', columns: ['id'] })).rejects.toThrow('--columns is for --output table and csv')
  })
})

describe('an expression', () => {
  test('sees all records as one array, in every format', async () => {
    const query = '[?id==`3`].{number: id}'
    expect(await print({ query })).toBe('{"number":3}\n')
    expect(await print({ query, format: 'json' })).toBe('[\n{"number":3}\n]\n')
    expect(await print({ query, format: 'csv' })).toBe('number\n3\n')
    expect(await print({ query, terminal: 80 })).toBe('number\n     3\n')
    expect(await print({ query: 'length(@)' })).toBe('3\n')
    expect(await print({ query: 'length(@)', terminal: 80 })).toBe('3\n')
    expect(await print({ query: '[].[id, path] | [:1]', format: 'csv' })).toBe('1,2\n1,/a\n')
  })

  test('sees one record at a time if they never end', async () => {
    expect(await print({ query: 'id' }, { isEndless: true })).toBe('1\n9007199254740993\n3\n')
  })

  test('sees a value', async () => {
    expect(await printValue({ query: 'a.b' }, { a: { b: 2n ** 60n } })).toBe('1152921504606846976\n')
    expect(await printValue({ query: 'a.x' }, { a: {} })).toBe('null\n')
  })

  test.each(['a[', '[?', 'nope(@)', 'sum(@)'])('that is invalid is a usage error: %s', async (query) => {
    await expect(print({ query })).rejects.toThrow(UsageError)
    await expect(print({ query })).rejects.toThrow(
      `--query ${JSON.stringify(query)} is not a valid JMESPath expression`,
    )
  })
})

describe('a value', () => {
  test('that is a list has the form of one', async () => {
    expect(await printValue({}, [{ a: 1 }, 2])).toBe('{"a":1}\n2\n')
    expect(await printValue({ format: 'json' }, [{ a: 1 }, 2])).toBe('[\n{"a":1}\n,\n2\n]\n'.replace('\n,', ','))
  })

  test('with too many levels is refused in every format', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    for (const format of outputFormats)
      await expect(printValue({ format }, deep)).rejects.toThrow('The data has more than 500 levels')
    await expect(printValue({}, [{ a: [1, Infinity] }])).rejects.toThrow('The data has a number that is too large')
  })

  test('is indented JSON without a terminal, and one line per field on a terminal', async () => {
    const value = { Id: 7, Name: 'a\u202e', List: [1, 2], None: null }
    expect(await printValue({}, value)).toBe(
      '{\n  "Id": 7,\n  "Name": "a\\u202e",\n  "List": [\n    1,\n    2\n  ],\n  "None": null\n}\n',
    )
    expect(await printValue({ terminal: 80 }, value)).toBe('Id    7\nName  a\\u202e\nList  1, 2\nNone\n')
    expect(await printValue({ format: 'ndjson' }, value)).toBe('{"Id":7,"Name":"a\\u202e","List":[1,2],"None":null}\n')
    expect(await printValue({ format: 'csv' }, value)).toBe('Id,Name,List,None\n7,a\\u202e,"[1,2]",\n')
  })
})
