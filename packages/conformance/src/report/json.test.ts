import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { genFile, toTypes } from '../../scripts/generate.ts'
import { fullReport, hostileReport, reportOf } from '../../tests/support/samples.ts'
import type * as model from '../exchange/report-model.ts'
import { jsonReport } from '../memory/conclude.ts'
import schema from '../schemas/report.schema.json' with { type: 'json' }

const isReport = new Ajv2020({ strict: true }).compile<model.Report>(schema)
const parsed = (report: model.Report): unknown => JSON.parse(jsonReport(report))

test('the generated types match their schemas; if not, run `pnpm generate`', async () => {
  expect(await readFile(genFile, 'utf8')).toBe(await toTypes())
})

test.each([
  ['full', fullReport],
  ['empty', reportOf([])],
  ['hostile', hostileReport],
])('a report that is %s is valid', (_name, report) => {
  isReport(parsed(report))
  expect(isReport.errors).toBeNull()
})

test('a key that the schema does not state is refused', () => {
  const [first] = fullReport.checks
  expect(isReport({ ...fullReport, surprise: 1 })).toBe(false)
  expect(isReport({ ...fullReport, checks: [{ ...first, surprise: 1 }] })).toBe(false)
})

test('a lone surrogate, which JSON readers cannot handle, is replaced', () => {
  const observations = [{ id: 'a', value: 'lone \uD800 surrogate' }]
  expect(parsed(reportOf([], { observations }))).toMatchObject({ observations: [{ value: 'lone \uFFFD surrogate' }] })
})
