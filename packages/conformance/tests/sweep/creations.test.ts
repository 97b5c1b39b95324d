/**
 * Tests what live runs leave on platforms that answer creations in different ways, in an area that `things-area.ts` adds to the contract.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = (name: string) => join(import.meta.dirname, name)

test('nothing of the suite is left, foreign items are as before, and what cannot be found again is a leak with exit code 1', async () => {
  const args = ['--import', script('things-area.ts'), script('creations.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 })
  interface Result {
    readonly name: string
    readonly created: number
    readonly own: readonly string[]
    readonly leaks: readonly string[]
    readonly skipped: number
    readonly passed: number
  }
  const { results, accusing }: { results: Result[]; accusing: object } = JSON.parse(stdout)
  expect(accusing).toEqual({ right: [], withoutEffect: ['management.add-thing.effect'] })
  const clean = { exitCode: 0, own: [], isForeignUntouched: true, leaks: [], failed: [] }
  const [hidden, lenient, gone, ...others] = results.toReversed()
  expect(others.map(({ name }) => name).sort()).toEqual([
    '201 with body',
    '201 without body',
    '202 with an invalid Location',
    '204 with Location',
    'deletion 5 is executed, and its response lost',
  ])
  for (const result of others) expect(result).toMatchObject({ ...clean, boundary: { outcome: 'pass' } })
  expect(others.every(({ created, skipped }) => created > 50 && skipped < 10)).toBe(true)
  // A gateway may repeat a deletion after a lost response, so that the item is gone although the answer is 404.
  expect(gone).toMatchObject({ own: [], leaks: [] })
  // Items without a name of the suite look like those that another caller creates at the same time: each one that stays is a leak.
  expect(lenient).toMatchObject({ exitCode: 1, isForeignUntouched: true })
  expect(new Set(lenient?.own)).toEqual(new Set(['unnamed']))
  expect(lenient?.leaks).toHaveLength(lenient?.own.length ?? 0)
  const text = /^The sweep could not find or delete the thing that add-thing created: look for (.*), and delete it\.$/
  const bodies = new Set(lenient?.leaks.map((leak) => text.exec(leak)?.[1]?.replace(/^\{"Name":[{[].*/, 'no text')))
  expect(bodies).toEqual(new Set(['{}', '{"Size":1}', 'no text']))
  // Without a list, the suite could not find the items that it creates, so no check writes, and the run decides nothing.
  const own = ['01a21e33-3a52-7c80-901e-a3c39d37a16f.conformance.invalid']
  expect(hidden).toMatchObject({ ...clean, exitCode: 2, own, created: 0, passed: 0 })
}, 300_000)
