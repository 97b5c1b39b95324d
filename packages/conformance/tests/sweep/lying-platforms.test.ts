/** Tests that a platform which lies about ids and names cannot make the suite write to an item that the suite did not create. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = (name: string) => join(import.meta.dirname, name)

test('whatever a platform says about ids and names, no foreign item is changed or deleted, and what is left is a leak', async () => {
  const args = ['--import', script('things-area.ts'), script('lying-platforms.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 })
  const results: { name: string; foreign: string[]; kept: boolean; exitCode: number; leaks: string[] }[] =
    JSON.parse(stdout)
  expect(results).toHaveLength(8)
  for (const result of results) expect(result).toMatchObject({ foreign: [], kept: true })
  // Only a name of the suite with a wrong id is a leak; the mark in other places is not.
  const withLeaks = results.filter(({ leaks }) => leaks.length > 0)
  expect(withLeaks.every(({ exitCode }) => exitCode === 1)).toBe(true)
  expect(withLeaks.map(({ name }) => name)).toEqual(results.slice(3).map(({ name }) => name))
}, 300_000)
