import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { mutants } from './mutants.ts'

const root = new URL('../../../../', import.meta.url)

/** `scripts/mutants.ts` shows that each of them turns its test red. */
it.each(mutants)('the mutant $id still fits the source', async ({ edits, test }) => {
  for (const { file, find, replace } of edits) {
    const source = await readFile(new URL(file, root), 'utf8')
    expect(source.split(find)).toHaveLength(2)
    expect(find).not.toBe(replace)
  }
  expect(await readFile(new URL(`apps/logs-exporter/${test}`, root), 'utf8')).toContain('it')
})
