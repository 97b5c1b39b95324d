import { describe, expect, test } from 'vitest'
import { createStream } from '../../tests/support/cli.ts'
import { UsageError } from '../terminal/command-error.ts'
import { createWriter } from '../terminal/writer.ts'
import { createOutput, type OutputFormat, outputFormats } from './create-output.ts'
import { compileQuery } from './query.ts'
import type { View } from './render.ts'

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

  test.each(outputFormats)('that end with an error are printed up to it: %s', async (format) => {
    function* failing() {
      yield* rows
      throw new Error('gap')
    }
    const { output, text } = await open({ format, terminal: 80 })
    await expect(output.records(failing(), view)).rejects.toThrow('gap')
    expect((await print({ format, terminal: 80 })).replace(/\n\]\n$/, '')).toBe(text())
    const none = await open({ format, terminal: 80 })
    const failed = (async function* () {
      yield* await Promise.reject<Row[]>(new Error('refused'))
    })()
    await expect(none.output.records(failed, view)).rejects.toThrow('refused')
    expect(none.text()).toBe('')
  })

  test('are CSV with the declared fields, even if empty', async () => {
    const head = 'id,path,absent\n'
    expect(await print({ format: 'csv' })).toBe(`${head}1,/a,\n9007199254740993,'=cmd()\\u001b[2J,\n3,,\n`)
    expect(await print({ format: 'csv' }, {}, [])).toBe(head)
  })

  test('are CSV with the fields of all records; without records, with the stated fields', async () => {
    const mixed: readonly unknown[] = [{ a: 1 }, { b: 2, constructor: 3 }, [4, 5], 6, { value: 7, a: null }]
    const csv = 'a,b,constructor,1,2,value\n1,,,,,\n,2,3,,,\n,,,4,5,\n,,,,,6\n,,,,,7\n'
    const { output, text } = await open({ format: 'csv' })
    await output.records(mixed as readonly object[])
    expect(text()).toBe(csv)
    expect(await printValue({ format: 'csv' }, mixed)).toBe(csv)
    expect(await printValue({ format: 'csv', query: '@' }, mixed)).toBe(csv)
    const none = (query?: string, order?: string[]) =>
      print(
        { format: 'csv', ...(query && { query }) },
        { fields: undefined, columns: undefined, ...(order && { order }) } as never,
        [],
      )
    expect(await none(undefined, ['Id', 'Name'])).toBe('Id,Name\n')
    expect(await none('[?Id].{x: Id, y: Name} | [:5]')).toBe('x,y\n')
    expect(await none('[].Id')).toBe('')
    expect(await none('[?Id]', ['Id', 'Name'])).toBe('Id,Name\n')
  })

  test('keep their form if an expression only chooses or sorts them', async () => {
    for (const query of ['[?id > `2`]', '[1:]', 'sort_by(@, &id)[1:]', '@ | [1:]', 'reverse(@)[:2]'])
      expect((await print({ format: 'csv', query })).split('\n')).toEqual([
        'id,path,absent',
        expect.any(String),
        expect.any(String),
        '',
      ])
    expect(await print({ terminal: 80, query: '[?id == `1`]' })).toBe('ID  PATH\n 1  /a\n')
  })

  test('may have a field that no column shows: one sentence names the field', async () => {
    const sentence = 'cdn: No column shows the field extra of some records: -o ndjson prints it.\n'
    const more = [...rows, { id: 4, path: '', extra: 0 }, { id: 5, path: '', extra: 1, none: null }]
    expect(await print({ format: 'csv' }, {}, more)).toContain(sentence)
    expect((await print({ format: 'csv' }, {}, more)).split(sentence)).toHaveLength(2)
    expect(await print({ format: 'csv', query: '@' }, { isEndless: true }, more)).toContain(sentence)
    expect(await print({ format: 'table', query: '@' }, { isEndless: true }, more)).toContain(sentence)
    expect(await print({ format: 'csv', columns: ['id'] }, {}, more)).not.toContain('extra')
    expect(await print({ format: 'table' }, {}, more)).not.toContain('extra')
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
    expect(await printValue({ query: 'a.x', format: 'json' }, { a: {} })).toBe('null\n')
  })

  test('prints plain values without quotes, unless a format is chosen', async () => {
    expect(await print({ query: '[:2].path' })).toBe('/a\n=cmd()\\u001b[2J\n')
    expect(await print({ query: '[:2].path', terminal: 20 })).toBe('/a\n=cmd()\\u001b[2J\n')
    expect(await print({ query: '[:1].path', format: 'ndjson' })).toBe('"/a"\n')
    expect(await print({ query: '[:1].path', format: 'json' })).toBe('[\n"/a"\n]\n')
    expect(await print({ query: '[:1].path', format: 'csv' })).toBe('value\n/a\n')
    expect(await print({ query: 'path' }, { isEndless: true })).toBe('/a\n=cmd()\\u001b[2J\n\n')
    expect(await print({ query: '[0].path' })).toBe('/a\n')
    expect(await printValue({ query: 'a' }, { a: 'x\ny\u001b' })).toBe('x\ny\\u001b\n')
    expect(await printValue({ query: 'a', terminal: 80 }, { a: '2026-06-17T14:30:00Z\n' })).toBe(
      '2026-06-17T14:30:00Z\\u000a\n',
    )
    expect(await printValue({ query: 'b' }, { a: 1 })).toBe('\n')
  })

  test.each(['a[', '[?', 'nope(@)', 'sum(@)'])('that is invalid is a usage error: %s', async (query) => {
    await expect(print({ query })).rejects.toThrow(UsageError)
    await expect(print({ query })).rejects.toThrow(
      `--query ${JSON.stringify(query)} is not a valid JMESPath expression`,
    )
  })
})

describe('a value', () => {
  test('that is a list is printed like records', async () => {
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
