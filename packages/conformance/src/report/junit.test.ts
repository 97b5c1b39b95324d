import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { fullReport, reportOf, sampleCause, sampleCheck } from '../../tests/support/samples.ts'
import type { Report } from '../exchange/report-model.ts'
import { toJunit } from './junit.ts'

type Result = Readonly<Record<'message' | 'type' | '#text', string>>
type Case = Readonly<Record<'classname' | 'name' | 'time', string>> &
  Partial<Readonly<Record<'failure' | 'error' | 'skipped', Result>>>
type Counts = Readonly<Record<'name' | 'tests' | 'failures' | 'errors', string>>
type Suite = Counts & { readonly testcase: readonly Case[] }

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

test('one suite per area, one case per cause, and one per sentence that is not the first one of a cause', () => {
  const { testsuite } = read(fullReport)
  expect(testsuite.map(({ name, testcase }) => [name, testcase.map((one) => one.name)])).toEqual([
    ['Pull Zone', ['management.add-allowed-referrer.effect']],
    ['logging', ['logging.rate-limit.429', 'logging.service.near-real-time']],
  ])
})

test('a failure has the operation, what was seen, the sentence, and the exchange with its command', () => {
  const failure = read(fullReport).testsuite[0]?.testcase[0]?.failure
  expect(failure?.message).toBe(
    'POST /pullzone/{id}/addAllowedReferrer: the list has no allowed referrers, expected a.invalid among the allowed referrers',
  )
  for (const part of [
    '§4.2 After a success',
    '> POST https://management.invalid/',
    '< no response: socket closed',
    'curl',
  ])
    expect(failure?.['#text']).toContain(part)
})

test('there are as many failures as causes, and counts match the cases', () => {
  const second = { ...sampleCause, id: 'other', requirements: ['logging.rate-limit.429'], reason: 'ticket 7' }
  const root = read({
    ...fullReport,
    causes: [sampleCause, second, { ...sampleCause, id: 'e', outcome: 'error', requirements: [] }],
  })
  const cases = root.testsuite.flatMap(({ testcase }) => testcase)
  const having = (key: 'failure' | 'error' | 'skipped') => cases.filter((one) => one[key]).length
  expect([root.tests, root.failures, root.errors]).toEqual([
    String(cases.length),
    String(having('failure')),
    String(having('error')),
  ])
  expect([having('failure'), having('error')]).toEqual([1, 1])
  expect(cases.find(({ name }) => name === 'other')?.skipped?.message).toBe('expected: ticket 7')
})

test('the durations leave out waits of the suite, and each check counts once', () => {
  const cases = read(fullReport).testsuite.flatMap(({ testcase }) => testcase)
  expect(cases.reduce((total, { time }) => total + Number(time), 0)).toBeCloseTo(2.5)
})

test.each<[string, Partial<Report>]>([
  ['crashed', { status: 'crashed', exitCode: 2 }],
  ['interrupted', { status: 'interrupted', exitCode: 130 }],
  ['not started', { status: 'not-started', problems: ['The key is refused.'] }],
  ['left something behind', { leaks: ['one'] }],
])('a run that %s has an error, although no cause is shown', (_name, rest) => {
  const root = read(reportOf([sampleCheck], rest))
  expect(root).toMatchObject({ tests: '1', errors: '1' })
  expect(root.testsuite.at(-1)?.testcase[0]?.error?.message).not.toBe('')
})
