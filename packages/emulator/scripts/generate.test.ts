import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, toConfigSchema, toHandlerList } from './generate.ts'
import { withVariants } from './variants-table.ts'

const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8')

test('the handler list matches the folder; run `pnpm generate` to update it', async () => {
  expect(await read('src/gen/handlers.ts')).toBe(await toHandlerList())
})

test('the configuration schema matches the code; run `pnpm generate` to update it', async () => {
  expect(JSON.parse(await read('config.schema.json'))).toEqual(JSON.parse(toConfigSchema()))
})

test('the table of variants on the page matches the code', async () => {
  const text = await readFile(page, 'utf8')
  expect(withVariants(text)).toBe(text)
})
