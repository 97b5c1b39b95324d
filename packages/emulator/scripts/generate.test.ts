import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, toConfigSchema, withVariants } from './generate.ts'

test('the configuration schema matches the code; run `pnpm generate` to update it', async () => {
  const committed = await readFile(join(import.meta.dirname, '../config.schema.json'), 'utf8')
  expect(JSON.parse(committed)).toEqual(JSON.parse(toConfigSchema()))
})

test('the table of variants on the page matches the code', async () => {
  const text = await readFile(page, 'utf8')
  expect(text).toContain('\n<!-- variants -->\n\n| variant ')
  expect(withVariants(text)).toBe(text)
})
