import { expect, test } from 'vitest'
import { markdownTable } from './markdown-table.ts'

test('columns have equal widths, numbers are aligned to the right', () => {
  const rows = [
    ['client', '6,720'],
    ['a', '12'],
  ]
  expect(markdownTable(['of', 'bytes'], rows, [1])).toBe(
    ['| of     | bytes |', '| ------ | ----: |', '| client | 6,720 |', '| a      |    12 |'].join('\n'),
  )
})

test('a missing cell is empty', () => {
  expect(markdownTable(['a', 'b'], [['1']])).toBe('| a   | b   |\n| --- | --- |\n| 1   |     |')
})
