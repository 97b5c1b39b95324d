import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { page, withVariants } from './generate.ts'

test('the table of variants on the page matches the code', async () => {
  const text = await readFile(page, 'utf8')
  expect(text).toContain('\n<!-- variants -->\n\n| variant ')
  expect(withVariants(text)).toBe(text)
})
