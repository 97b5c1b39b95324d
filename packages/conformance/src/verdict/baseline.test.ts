import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { reportOf } from '../../tests/support/samples.ts'
import { compare, readBaseline, writeBaseline } from './baseline.ts'

const folder = mkdtempSync(join(tmpdir(), 'baseline-'))
const file = join(folder, 'baseline.json')
afterAll(() => rmSync(folder, { recursive: true }))

const seen = (values: Record<string, unknown>) =>
  Object.entries(values).map(([id, value]) => ({ id, value, drift: false }))

test('a run has no drift against its own baseline, whatever the order of keys', async () => {
  const observations = seen({ b: { x: 1, y: [null, 2] }, a: 204, c: null })
  await writeBaseline(file, reportOf([], { observations }))
  const baseline = await readBaseline(file, 'emulator')
  expect(Object.keys(baseline.observations)).toEqual(['a', 'b', 'c'])
  const again = seen({ a: 204, c: null, b: { y: [null, 2], x: 1 } })
  expect(compare(again, baseline).filter(({ drift }) => drift)).toEqual([])
})

test('a change and a new point are drift; a point without an observation is not', () => {
  const baseline = { target: 'live', observedAt: '', observations: { a: 204, gone: 1 } } as const
  expect(compare(seen({ a: 200, new: 'x' }), baseline)).toEqual([
    { id: 'a', value: 200, baseline: 204, drift: true },
    { id: 'new', value: 'x', drift: true },
  ])
})

test('a baseline that cannot be written is one sentence', async () => {
  await expect(writeBaseline(join(file, 'b.json'), reportOf([]))).rejects.toThrow(
    /^Cannot write .*b\.json: .* Choose a writable path\.$/,
  )
})

test.each([
  ['[]', 'must be object'],
  ['{"target": "live", "observedAt": "", "observations": {}, "more": 1}', 'unknown key "more"'],
  ['{"target": "live", "observedAt": "", "observations": {}}', 'was taken from the target live'],
])('%s is refused in one sentence', async (text, sentence) => {
  writeFileSync(file, text)
  await expect(readBaseline(file, 'emulator')).rejects.toThrow(sentence)
})
