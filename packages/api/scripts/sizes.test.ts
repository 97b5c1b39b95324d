import { expect, test } from 'vitest'
import { bundle, measure, readSizes, sizeOf } from './sizes.ts'

test('the table in README.md is fresh; otherwise run `node scripts/sizes.ts`', async () => {
  const [written, measured] = [await readSizes(), await measure()]
  expect(written.map(({ program, minified }) => ({ program, minified }))).toEqual(
    measured.map(({ program, minified }) => ({ program, minified })),
  )
  for (const [index, { gzip }] of measured.entries()) {
    expect(Math.abs((written[index]?.gzip ?? 0) / gzip - 1)).toBeLessThan(0.01)
  }
})

test('sizes stay within their bounds', async () => {
  const sizes = new Map((await measure()).map(({ program, gzip }) => [program, gzip]))
  expect(sizes.get('management client')).toBeLessThan(6000)
  expect(sizes.get('management client with every middleware')).toBeLessThan(6000)
  expect(sizes.get('everything')).toBeLessThan(10_400) // a ratchet: 8000 is aimed at
})

test('an operation adds at most 40 bytes', async () => {
  const nouns = ['zone', 'record', 'certificate', 'rule', 'header', 'hostname', 'image', 'bucket', 'invoice', 'member']
  const verbs = ['list', 'statistics', 'preview', 'export', 'check', 'history', 'settings', 'usage', 'status', 'search']
  const reads = nouns.flatMap((noun) => verbs.map((verb) => `GET /${noun}/{${noun}Id}/${verb}`))
  const name = 'createManagementClient'
  const [none, all] = [sizeOf(name, await bundle(name, [])), sizeOf(name, await bundle(name, reads))]
  expect((all.gzip - none.gzip) / reads.length).toBeLessThan(40)
})

test('the contract is not pulled into the bundle of those who only call', async () => {
  const { metafile } = await bundle('*')
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  expect(inputs).toContain('src/client.ts')
  expect(inputs.filter((input) => input.includes('contract') || input.endsWith('.json'))).toEqual([])
})
