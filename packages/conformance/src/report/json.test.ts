import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { genFile, toTypes } from '../../scripts/generate.ts'
import { full, hostile, reportOf } from '../../tests/support/samples.ts'
import { jsonReport } from '../memory/conclude.ts'
import schema from '../schemas/report.schema.json' with { type: 'json' }
import type * as model from './model.ts'

const isReport = new Ajv2020({ strict: true }).compile<model.Report>(schema)
const parsed = (report: model.Report): unknown => JSON.parse(jsonReport(report))

test('the generated types match their schemas; if not, run `pnpm generate`', async () => {
  expect(await readFile(genFile, 'utf8')).toBe(await toTypes())
})

test.each([
  ['full', full],
  ['empty', reportOf([])],
  ['hostile', hostile],
])('a report that is %s is valid', (_name, report) => {
  isReport(parsed(report))
  expect(isReport.errors).toBeNull()
})

/** Every object of a report, with the names of its optional keys. */
const objects: [string, readonly string[]][] = [
  ['', ['problems', 'leaks', 'changes']],
  ['target', ['managementUrl', 'loggingUrl']],
  ['summary', []],
  ['causes.0', ['since']],
  ['requirements.0', ['basis', 'outcome', 'unchecked']],
  ['checks.1', ['message', 'cause', 'evidence']],
  ['checks.1.evidence', ['expected', 'seen']],
  ['checks.1.evidence.exchanges.0', ['response', 'operation', 'at']],
  ['checks.1.evidence.exchanges.0.request', ['body']],
  ['checks.1.evidence.exchanges.0.response', []],
  ['observations.0', []],
  ['changes', ['before']],
  ['changes.fixed.0', []],
]

describe.each(objects)('the object at "%s"', (path, optional) => {
  const changed = (change: (object: Record<string, unknown>) => void): unknown => {
    const report = JSON.parse(jsonReport(full))
    const steps = path === '' ? [] : path.split('.')
    change(steps.reduce((at, step) => at[step], report))
    return report
  }

  test('rejects an unknown key', () => {
    expect(isReport(changed((object) => Object.assign(object, { surprise: 1 })))).toBe(false)
  })

  test('requires exactly the keys that the model requires', () => {
    const keys: string[] = []
    changed((object) => keys.push(...Object.keys(object)))
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      const valid = isReport(changed((object) => delete object[key]))
      expect({ key, valid }).toEqual({ key, valid: optional.includes(key) })
    }
  })
})

test('a lone surrogate, which JSON readers cannot handle, is replaced', () => {
  const observations = [{ id: 'a', value: 'lone \uD800 surrogate' }]
  expect(parsed(reportOf([], { observations }))).toMatchObject({ observations: [{ value: 'lone \uFFFD surrogate' }] })
})
