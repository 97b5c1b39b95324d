import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { check } from '../../tests/support/samples.ts'
import type { Outcome } from '../report/model.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { markExpectedFailures, readExpectedFailures } from './expectations.ts'

const folder = mkdtempSync(join(tmpdir(), 'known-'))
const file = join(folder, 'known.json')
afterAll(() => rmSync(folder, { recursive: true }))

const results = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => ({ ...check, id: `c${index}`, requirements: ['r'], outcome }))
const entry = (id: string) => ({ id, reason: 'ticket 7' })

test.each<{ name: string; outcomes: Outcome[]; id: string; known?: string[]; complaint?: string }>([
  { name: 'a check that fails is expected', outcomes: ['fail', 'fail'], id: 'c0', known: ['c0'] },
  { name: 'a requirement covers all its checks', outcomes: ['fail', 'pass', 'fail'], id: 'r', known: ['c0', 'c2'] },
  { name: 'an entry that passes is an error', outcomes: ['pass', 'fail'], id: 'c0', complaint: 'passes' },
  {
    name: 'a requirement of which all checks pass is an error',
    outcomes: ['pass', 'skip'],
    id: 'r',
    complaint: 'passes',
  },
  {
    name: 'an entry that matches nothing is an error',
    outcomes: ['fail'],
    id: 'gone',
    complaint: 'neither a check nor a requirement',
  },
  { name: 'an entry that is not part of this run is ignored', outcomes: ['fail'], id: 'deselected' },
  { name: 'an entry whose checks were skipped is ignored', outcomes: ['skip', 'disabled'], id: 'r' },
  { name: 'an error decides nothing', outcomes: ['error', 'pass'], id: 'r' },
])('$name', ({ outcomes, id, known = [], complaint }) => {
  const checks = markExpectedFailures(results(...outcomes), [entry(id)], (candidate) => candidate === 'deselected')
  expect(checks.filter((one) => one.expectedFailure === 'ticket 7').map((one) => one.id)).toEqual(known)
  const [stale] = checks.slice(outcomes.length)
  expect(stale?.outcome).toBe(complaint && 'error')
  if (complaint) expect(stale?.message).toContain(complaint)
})

test.each([
  ['{', 'invalid JSON'],
  ['{}', 'must be array'],
  ['[{"id": "a"}]', "must have required property 'reason'"],
  ['[{"id": "a", "reason": " "}]', '0.reason must match pattern'],
  ['[{"id": "a", "reason": "b", "until": "c"}]', 'unknown key "until" in 0'],
  ['[{"id": "a", "reason": "b"}, {"id": "a", "reason": "c"}]', 'a is listed twice'],
])('%s is refused in one sentence', async (text, sentence) => {
  writeFileSync(file, text)
  const refused = readExpectedFailures(file)
  await expect(refused).rejects.toThrow(SuiteConfigurationError)
  await expect(refused).rejects.toThrow(sentence)
})
