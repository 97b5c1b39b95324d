import { expect, test } from 'vitest'
import { markdownTable } from './markdown-table.ts'

test('columns have equal widths, and a missing cell is empty', () => {
  const table = ['| of     | bytes |', '| ------ | ----- |', '| client | 6,720 |', '| a      |       |']
  expect(markdownTable(['of', 'bytes'], [['client', '6,720'], ['a']])).toBe(table.join('\n'))
})
