import { readFileSync } from 'node:fs'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { bundleProgram, measure, readme, region, type Size, sizeOf } from './sizes.ts'

/** Reads the table of the README. */
function readSizes(): Size[] {
  const table = defined(region.exec(readFileSync(readme, 'utf8'))?.[0])
  const toNumber = (text = '') => Number(text.replaceAll(',', ''))
  return [...table.matchAll(/^\| (.+?) +\| +([\d,]+) \| +([\d,]+) \|$/gm)].map(([, program, minified, gzip]) => {
    return { program: defined(program), minified: toNumber(minified), gzip: toNumber(gzip) }
  })
}

test('the table in README.md is up to date; if not, run `node scripts/sizes.ts`', async () => {
  const [written, measured] = [readSizes(), await measure()]
  expect(written.map(({ program, minified }) => ({ program, minified }))).toEqual(
    measured.map(({ program, minified }) => ({ program, minified })),
  )
  for (const [index, { gzip }] of measured.entries()) {
    expect(Math.abs(defined(written[index]).gzip / gzip - 1)).toBeLessThan(0.01)
  }
})

test('sizes stay within their bounds', async () => {
  const sizes = new Map((await measure()).map(({ program, gzip }) => [program, gzip]))
  // Upper bounds. The client with retries, time-outs and debug lines should take at most 8,000; it does not yet.
  expect(sizes.get('management client')).toBeLessThan(10_600)
  expect(sizes.get('everything')).toBeLessThan(17_400)
})

test('an unusual operation adds at most 40 bytes', async () => {
  const nouns = ['zone', 'record', 'certificate', 'rule', 'header', 'hostname', 'image', 'bucket', 'invoice', 'member']
  const verbs = ['list', 'statistics', 'preview', 'export', 'check', 'history', 'settings', 'usage', 'status', 'search']
  const paths = nouns.flatMap((noun) => verbs.map((verb) => `GET /${noun}/{${noun}Id}/${verb}`))
  const operations = Object.fromEntries(paths.map((path) => [path, { isRepeatable: false }]))
  const name = 'createManagementClient'
  const [none, all] = [sizeOf(name, await bundleProgram(name, {})), sizeOf(name, await bundleProgram(name, operations))]
  expect((all.gzip - none.gzip) / paths.length).toBeLessThan(40)
})

test('bundles of programs that only call the API do not contain the contract', async () => {
  const { metafile } = await bundleProgram('*')
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  expect(inputs).toContain('src/client.ts')
  expect(inputs.filter((input) => input.includes('contract') || input.endsWith('.json'))).toEqual([])
})
