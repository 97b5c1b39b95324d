import { expect, test } from 'vitest'
import { full, hostile } from './samples.ts'
import { toMatrix } from './terminal.ts'

test('a line for each requirement under its area, then failures, coverage and verdict', () => {
  const lines = toMatrix(full, { color: false }).split('\n')
  expect(lines.slice(0, 7)).toEqual([
    'logging',
    ' ○ unchecked  §1    logging.service.near-real-time          document',
    ' ✓ passed     §8    logging.rate-limit.429                  document / document',
    '',
    'Pull Zone',
    ' ✕ failed     §4.2  management.add-allowed-referrer.effect  document / supplement',
    '',
  ])
  const rest = lines.slice(7).join('\n')
  expect(rest).toMatch(
    /Not shown by the document: .*Purge.*\n\n✕ failed {2}management\.add-.*: The hostname is not there/,
  )
  expect(rest).toMatch(/2 can be checked .*\n✕ The live platform does not conform.*\n$/)
})

test('colour only when asked for', () => {
  expect(toMatrix(full, { color: false })).not.toContain('\u001b')
  expect(toMatrix(full, { color: true })).toContain('\u001b[')
})

test('no text of a report reaches the terminal as a control', () => {
  expect(toMatrix(hostile, { color: false })).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u)
})
