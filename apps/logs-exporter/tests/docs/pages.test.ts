/** The pages about the exporter agree with the program. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referencePage, referencePagePath } from '../../scripts/generate.ts'
import { exporterExitCodes } from '../../src/cli/exit-codes.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import { read } from '../deploy/repository.ts'

const pages = ['docs/exporter.md', 'docs/exporter-stores.md']

const configurations = pages.flatMap((page) =>
  [...read(page).matchAll(/<!-- config: (\w+) -->\n```yaml\n(.*?)```/gs)].map(([, name = '', text = '']) => ({
    page,
    name,
    text,
  })),
)

test.each(configurations)('the configuration "$name" in $page is valid', ({ text }) => {
  const { zones, zonesFrom } = parseConfig(text, 'config.yaml', {})
  expect(zonesFrom ?? zones).not.toEqual([])
})

test('the page describes every exit code', () => {
  const [, table = ''] = read('docs/exporter.md').split(/\n\| exit .*\n/)
  const codes = [...table.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code))
  expect(codes).toEqual(Object.values(exporterExitCodes))
})

test('the reference is up to date', () => {
  expect(readFileSync(referencePagePath, 'utf8')).toBe(referencePage)
})
