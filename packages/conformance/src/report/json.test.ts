import type { Effect, Source } from '@cdn/api/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { full, hostile, reportOf } from '../../tests/support/samples.ts'
import type { CaseCall } from '../core/case.ts'
import type { CheckSource } from '../core/check.ts'
import type * as model from './model.ts'
import schema from './report.schema.json' with { type: 'json' }
import { jsonReport } from './write.ts'

const isReport = new Ajv2020({ strict: true }).compile<model.Report>(schema)
const parsed = (report: model.Report): unknown => JSON.parse(jsonReport(report))

describe('the schema and the model agree', () => {
  test('on the keys', () => {
    type Definitions = typeof schema.$defs
    type Keys<Name extends keyof Definitions> = Definitions[Name] extends { properties: infer P } ? keyof P : never
    expectTypeOf<keyof typeof schema.properties>().toEqualTypeOf<keyof model.Report>()
    expectTypeOf<Keys<'Target'>>().toEqualTypeOf<keyof model.Report['target']>()
    expectTypeOf<Keys<'Summary'>>().toEqualTypeOf<keyof model.ReportSummary>()
    expectTypeOf<Keys<'RequirementResult'>>().toEqualTypeOf<keyof model.RequirementResult>()
    expectTypeOf<Keys<'CheckResult'>>().toEqualTypeOf<keyof model.CheckResult>()
    expectTypeOf<Keys<'CaseCall'>>().toEqualTypeOf<keyof CaseCall>()
    expectTypeOf<Keys<'Evidence'>>().toEqualTypeOf<keyof model.Evidence>()
    expectTypeOf<Keys<'Exchange'>>().toEqualTypeOf<keyof model.Exchange>()
    expectTypeOf<Keys<'Observation'>>().toEqualTypeOf<keyof model.Observation>()
    expectTypeOf<Keys<'ExchangeBreach'>>().toEqualTypeOf<keyof model.ExchangeBreach>()
    expectTypeOf<Keys<'ConstraintCoverage'>>().toEqualTypeOf<keyof model.ConstraintCoverage>()
    expectTypeOf<Keys<'OperationLatency'>>().toEqualTypeOf<keyof model.OperationLatency>()
    expectTypeOf<Keys<'Changes'>>().toEqualTypeOf<keyof model.Changes>()
    expectTypeOf<Keys<'Transition'>>().toEqualTypeOf<keyof model.Transition>()
  })

  test('on the values', () => {
    const words = <Word extends string>(all: Readonly<Record<Word, true>>) => Object.keys(all)
    const { CheckSource, Outcome, Source, Effect, Status, TargetKind } = schema.$defs
    expect(Outcome.enum).toEqual(
      words<model.Outcome>({ pass: true, fail: true, skip: true, disabled: true, error: true }),
    )
    expect(CheckSource.enum).toEqual(words<CheckSource>({ spec: true, supplement: true, robustness: true }))
    expect(Source.enum).toEqual(words<Source>({ spec: true, supplement: true }))
    expect(Effect.enum).toEqual(words<Effect>({ read: true, write: true, destructive: true }))
    expect(Status.enum).toEqual(words<model.Report['status']>({ complete: true, interrupted: true, crashed: true }))
    expect(TargetKind.enum).toEqual(words<model.Report['target']['kind']>({ mock: true, emulator: true, live: true }))
  })
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
  ['', ['latency', 'changes']],
  ['target', ['managementUrl', 'loggingUrl']],
  ['summary', []],
  ['requirements.0', ['basis', 'outcome', 'unchecked']],
  ['checks.1', ['message', 'evidence']],
  ['checks.1.evidence', ['expected', 'seen']],
  ['checks.1.evidence.exchanges.0', ['response', 'error']],
  ['checks.1.evidence.exchanges.0.request', ['body']],
  ['checks.1.evidence.exchanges.0.response', []],
  ['observations.0', ['baseline']],
  ['breaches.0', []],
  ['latency.0', []],
  ['changes', ['lastNight']],
  ['changes.transitions.0', ['firstFailed', 'lastPassed']],
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

test('values that JSON readers cannot handle are converted', () => {
  const observations = [
    { id: 'a', value: 'lone \uD800 surrogate', drift: false },
    { id: 'b', value: 9007199254740993n, drift: false },
    { id: 'c', value: undefined, drift: false },
  ]
  expect(parsed(reportOf([], { observations }))).toMatchObject({
    observations: [{ value: 'lone \uFFFD surrogate' }, { value: '9007199254740993' }, { value: null }],
  })
})
