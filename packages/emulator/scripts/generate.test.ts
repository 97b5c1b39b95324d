import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { page, withLists } from './generate.ts'

test('the lists on the page match the code', async () => {
  const text = await readFile(page, 'utf8')
  for (const name of ['variants', 'faults', 'violations']) expect(text).toContain(`<!-- ${name} -->\n\n- `)
  expect(withLists(text)).toBe(text)
})
