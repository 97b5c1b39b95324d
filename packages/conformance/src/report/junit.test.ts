import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import { toJunit } from './junit.ts'
import type { Report } from './model.ts'

interface Result {
  readonly message: string
  readonly type?: string
  readonly '#text'?: string
}

interface Case {
  readonly classname: string
  readonly name: string
  readonly time: string
  readonly failure?: Result
  readonly error?: Result
  readonly skipped?: Result
}

interface Counts {
  readonly name: string
  readonly tests: string
  readonly failures: string
  readonly errors: string
  readonly skipped: string
}

interface Suite extends Counts {
  readonly testcase: readonly Case[]
}

/** Parses the report with an independent XML reader. */
function read(report: Report): Counts & { readonly testsuite: readonly Suite[] } {
  const xml = toJunit(report)
  expect(XMLValidator.validate(xml)).toBe(true)
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    trimValues: false,
    processEntities: { enabled: true, maxTotalExpansions: 100_000, maxExpandedLength: 1_000_000 },
    isArray: (name) => name === 'testsuite' || name === 'testcase',
  })
  return parser.parse(xml).testsuites
}

test('one suite per area, one case per check', () => {
  const { testsuite } = read(full)
  expect(testsuite.map(({ name }) => name)).toEqual(['logging', 'Pull Zone', 'without a requirement'])
  expect(testsuite[0]?.testcase[0]).toMatchObject({
    classname: 'logging.rate-limit',
    name: 'logging.rate-limit.burst',
    time: '1.250',
  })
})

test('a failure has its message, the requirement, expected and seen, and the exchanges', () => {
  const failure = read(full).testsuite[1]?.testcase[0]?.failure
  expect(failure?.message).toBe('The hostname is not there, observed through the supplement.')
  expect(failure?.type).toBe('spec, observed through supplement')
  for (const part of [
    'requirement: management.add-allowed-referrer.effect',
    'expected: a.invalid among the allowed referrers',
    'seen: no allowed referrers',
    '> POST https://management.invalid/pullzone/7/addAllowedReferrer',
    '< 500',
    '< no response: socket closed',
  ]) {
    expect(failure?.['#text']).toContain(part)
  }
})

test('counts match the cases, per suite and in total', () => {
  const outcomes = ['pass', 'fail', 'fail', 'error', 'skip', 'disabled', 'disabled'] as const
  const report = reportOf(
    outcomes.map((outcome, index) => ({ ...check, id: `c${index}`, outcome })),
    { exitCode: 1 },
  )
  const root = read(report)
  const [suite] = root.testsuite
  for (const counted of [root, suite]) {
    expect(counted).toMatchObject({ tests: '7', failures: '2', errors: '1', skipped: '3' })
  }
  const having = (key: 'failure' | 'error' | 'skipped') => suite?.testcase.filter((one) => one[key]).length
  expect([having('failure'), having('error'), having('skipped')]).toEqual([2, 1, 3])
})

describe('a run that failed without a failed check has an additional case', () => {
  test.each<[string, Partial<Report>]>([
    ['crashed', { status: 'crashed', exitCode: 2 }],
    ['interrupted', { status: 'interrupted', exitCode: 130 }],
    ['drift', { observations: [{ id: 'point', value: 2, baseline: 1, drift: true }] }],
  ])('%s', (_name, rest) => {
    const root = read(reportOf([check], rest))
    expect(root).toMatchObject({ tests: '2', errors: '1' })
    expect(root.testsuite.at(-1)?.testcase[0]?.error?.message).not.toBe('')
  })

  test('and none otherwise', () => expect(read(reportOf([check])).tests).toBe('1'))
})

test('an expected failure is skipped with its reason, and a run with drift still fails', () => {
  const known = { ...check, outcome: 'fail', expectedFailure: 'ticket 7' } as const
  const calm = read(reportOf([known]))
  expect(calm).toMatchObject({ failures: '0', errors: '0', skipped: '1' })
  expect(calm.testsuite[0]?.testcase[0]?.skipped?.message).toBe('expected failure: ticket 7')
  const observations = [{ id: 'point', value: 2, baseline: 1, drift: true }]
  expect(read(reportOf([known, check], { exitCode: 1, observations })).errors).toBe('1')
})
