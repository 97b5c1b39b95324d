import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../terminal/command-error.ts'
import { compileQuery } from './query.ts'

const big = 9007199254740993n
const data = [
  { Id: big, Name: 'big' },
  { Id: 2, Name: 'b' },
  { Id: 10, Name: 'c' },
]
const run = async (query: string, value: unknown = data) => (await compileQuery(query))(value)

describe('integers beyond 2^53', () => {
  test.each([
    ['[?Id > `5`].Name', ['big', 'c']],
    ['[?Id >= `9007199254740993`].Name', ['big']],
    ['[?Id == `9007199254740992`].Name', []],
    ['[?Id < `9007199254740994`] | length(@)', 3],
    ['[?contains(`[9007199254740993, 10]`, Id)].Name', ['big', 'c']],
    ["[?Name == '`9007199254740993`']", []],
    ['sort([].Id)', [2, 10, big]],
    ['sort_by(@, &Id)[].Name', ['b', 'c', 'big']],
    ['max_by(@, &Id).Name', 'big'],
    ['min_by(@, &Name).Name', 'b'],
    ['[max([].Id), min([].Id), sum([].Id), avg([].Id)]', [big, 2, big + 12n, 3002399751580335]],
    ['[0].Id + `1`', big + 1n],
    ['[0].Id - [0].Id', 0],
    ['[1].Id * [0].Id', 2n * big],
    ['let $least = `5` in [?Id > $least].Name', ['big', 'c']],
    ['[type([0].Id), to_string([0].Id)]', ['number', String(big)]],
    ["to_number('9007199254740993')", big],
    ['[[0].Id, `1.5`, `-1`][1:]', [1.5, -1]],
  ])('are exact: %s', async (query, result) => {
    expect(await run(query)).toEqual(result)
  })

  test.each(['[0].Id / `2`', 'ceil([0].Id)', 'abs([0].Id)', '-[0].Id', '[0].Id + `0.5`', 'sum([[0].Id, `0.5`])'])(
    'are refused: %s',
    async (query) => {
      await expect(run(query)).rejects.toThrow(UsageError)
      await expect(run(query)).rejects.toThrow('it calculates with a value that is not a number up to 2^53')
    },
  )

  test('sort, compare and sum like bigints', async () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    const written = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)
    const [sort, max, sum] = await Promise.all(['sort(@)', 'max(@)', 'sum(@)'].map(compileQuery))
    await fc.assert(
      fc.asyncProperty(fc.array(integer, { minLength: 1 }), integer, async (values, limit) => {
        const list = values.map(written)
        const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        expect(sort?.(list)).toEqual(sorted.map(written))
        expect(max?.(list)).toEqual(written(sorted.at(-1) ?? 0n))
        expect(sum?.(list)).toEqual(written(values.reduce((sum, value) => sum + value, 0n)))
        const above = values.filter((value) => value > limit).map(written)
        expect(await run(`[?@ > \`${limit}\`]`, list)).toEqual(above)
      }),
    )
  })
})

test('the largest of many numbers', async () => {
  expect(await run('max(@)', [...Array(300_000).keys()])).toBe(299_999)
})

test.each(['sum()', 'sum(@)', 'sort_by(@, &x)', 'nope(@)'])('a wrong call is one sentence: %s', async (query) => {
  await expect(run(query)).rejects.toThrow(
    /^--query "[^"]+" is not a valid JMESPath expression for this data: (?!.*exact)/,
  )
})
