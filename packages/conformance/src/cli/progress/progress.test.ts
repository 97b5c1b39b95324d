import { expect, test } from 'vitest'
import { check, hostile, hostileText, reportOf } from '../../../tests/support/samples.ts'
import type { CheckRun } from '../../core/run-check.ts'
import { toAnnotations } from './github.ts'
import { createProgressLine } from './progress.ts'

function streamOf(isTTY: boolean, columns = 60) {
  const written: string[] = []
  return { written, isTTY, columns, write: (text: string) => written.push(text) }
}

const run = (id: string, outcome: 'pass' | 'fail'): CheckRun => ({
  result: { ...check, id, outcome },
  observations: [],
  breaches: [],
  operations: [],
})

test('on a terminal one line is rewritten within the width, and finally removed', () => {
  const stream = streamOf(true)
  const progress = createProgressLine(stream)
  progress.show(3)
  progress.show(3, run('a.check', 'fail'))
  progress.show(3, run(hostileText, 'pass'))
  progress.clear()
  expect(stream.written.slice(0, 2)).toEqual(['\r\u001b[2K0/3 starting', '\r\u001b[2K1/3 1 failed a.check'])
  for (const text of stream.written) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(text.replace('\r\u001b[2K', '')).not.toMatch(/[\u0000-\u001f\u009b\u202e]/)
    expect(text.length).toBeLessThan(60 + 5)
  }
  expect(stream.written.at(-1)).toBe('\r\u001b[2K')
})

test('without a terminal nothing is written', () => {
  const stream = streamOf(false)
  const progress = createProgressLine(stream)
  progress.show(3, run('a.check', 'fail'))
  progress.clear()
  expect(stream.written).toEqual([])
})

test('annotations: an error for a failure, a notice for an expected one, a warning for drift', () => {
  const fail = { ...check, outcome: 'fail', message: '50% of a:b,c' } as const
  const report = reportOf([fail, { ...fail, id: 'known', expectedFailure: 'ticket 7' }, check], {
    exitCode: 1,
    observations: [{ id: 'point', value: 2, baseline: 1, drift: true }],
  })
  expect(toAnnotations(report)).toBe(
    `::error title=${check.id}::50%25 of a:b,c\n::notice title=known::expected failure: ticket 7: 50%25 of a:b,c\n::warning title=point::drift: 1 became 2\n`,
  )
})

test('a run that ended early is an error even if no check failed', () => {
  const report = reportOf([check], { status: 'interrupted', exitCode: 130 })
  expect(toAnnotations(report)).toMatch(/^::error title=conformance::.*was interrupted/)
  expect(toAnnotations(reportOf([check]))).toBe('')
})

test('text of a target cannot inject a command', () => {
  const checks = hostile.checks.map((one) => ({
    ...one,
    message: `x\n::add-mask::y\r\n::error::z%0A::stop-commands::w`,
  }))
  for (const line of toAnnotations({ ...hostile, checks })
    .split('\n')
    .filter(Boolean)) {
    expect(line).toMatch(/^::(error|notice|warning) title=[^:]*::/)
    expect(line).not.toContain('%0A')
  }
})
