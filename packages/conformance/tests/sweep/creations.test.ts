/** Tests what live runs leave on platforms that answer creations in different ways, in an area that `area.ts` adds to the contract. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = (name: string) => join(import.meta.dirname, name)

test('nothing of the suite is left, foreign items are as before, and what cannot be found again is a leak with exit code 1', async () => {
  const args = ['--import', script('area.ts'), script('creations.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 })
  const results: { name: string; created: number; own: string[]; leaks: string[]; skipped: number; passed: number }[] =
    JSON.parse(stdout)
  const clean = { exitCode: 0, own: [], isForeignUntouched: true, leaks: [], failed: [] }
  const [hidden, lenient, ...others] = results.toReversed()
  expect(others.map(({ name }) => name).sort()).toEqual([
    '201 with body',
    '201 without body',
    '202 with an invalid Location',
    '204 with Location',
  ])
  for (const result of others) expect(result).toMatchObject({ ...clean, boundary: { outcome: 'pass' } })
  expect(others.every(({ created, skipped }) => created > 50 && skipped < 10)).toBe(true)
  // Two items of the suite look like items that another caller creates at the same time.
  expect(lenient).toMatchObject({ exitCode: 1, isForeignUntouched: true })
  expect(lenient?.own).toEqual(['unnamed', 'unnamed'])
  expect(lenient?.leaks).toEqual([
    'The sweep could not find or delete the thing that add-thing created: look for {}, and delete it.',
    'The sweep could not find or delete the thing that add-thing created: look for {"Size":1}, and delete it.',
  ])
  // Without a list, the suite could not find the items that it creates, so no check writes, and the run decides nothing.
  const own = ['left-by-a-killed-run.conformance.invalid']
  expect(hidden).toMatchObject({ ...clean, exitCode: 2, own, created: 0, passed: 0 })
}, 300_000)
