import { expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import { toMatrix } from './terminal.ts'

test('a line for each requirement under its area, then failures, coverage and result', () => {
  const lines = toMatrix(full, { color: false }).split('\n')
  expect(lines.slice(0, 7)).toEqual([
    'logging',
    ' ○ unchecked  §1    logging.service.near-real-time          spec',
    ' ✓ passed     §8    logging.rate-limit.429                  spec / spec  1 case',
    '',
    'Pull Zone',
    ' ✕ failed     §4.2  management.add-allowed-referrer.effect  spec / supplement  1 case',
    '',
  ])
  const rest = lines.slice(7).join('\n')
  expect(rest).toMatch(
    /Areas without an operation in the spec: .*Purge.*\n\nNewly failing: management\.add-.* \(first failed 2026-01-02 .*\)\n\n✕ failed {2}management\.add-.*: The hostname is not there/,
  )
  expect(rest).toMatch(/2 can be checked .*\n✕ The live platform does not conform.*\n$/)
})

test('more than three checks with the same reason share one line', () => {
  const failed = (id: string, message = 'no page') => ({ ...check, id, outcome: 'fail', message }) as const
  const shown = (...ids: string[]) =>
    toMatrix(reportOf([...ids.map((id) => failed(id)), failed('other', 'no list')]), { color: false })
      .split('\n')
      .filter((line) => line.startsWith('✕ failed'))
  expect(shown('a', 'b', 'c', 'd')).toEqual(['✕ failed  4 checks: no page: a, b, c, d', '✕ failed  other: no list'])
  expect(shown('a', 'b', 'c')).toHaveLength(4)
})

test('colour only on request', () => {
  expect(toMatrix(full, { color: false })).not.toContain('\u001b')
  expect(toMatrix(full, { color: true })).toContain('\u001b[')
})
