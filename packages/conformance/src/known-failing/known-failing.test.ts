import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigurationError } from '../failure.ts'
import type { Outcome } from '../report/model.ts'
import { check } from '../report/samples.ts'
import { readKnownFailing } from './list.ts'
import { applyRatchet } from './ratchet.ts'

const folder = mkdtempSync(join(tmpdir(), 'known-'))
const file = join(folder, 'known.json')
afterAll(() => rmSync(folder, { recursive: true }))

const results = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => ({ ...check, id: `c${index}`, requirements: ['r'], outcome }))
const entry = (id: string) => ({ id, reason: 'ticket 7' })

test.each<[string, Outcome[], string, string[], string | undefined]>([
  ['a check that fails is known', ['fail', 'fail'], 'c0', ['c0'], undefined],
  ['a requirement covers all its checks', ['fail', 'pass', 'fail'], 'r', ['c0', 'c2'], undefined],
  ['an entry that passes is an error', ['pass', 'fail'], 'c0', [], 'passes'],
  ['a requirement of which all checks pass is an error', ['pass', 'skip'], 'r', [], 'passes'],
  ['an entry that matches nothing is an error', ['fail'], 'gone', [], 'neither a check nor a requirement'],
  ['one that is not part of this run says nothing', ['fail'], 'deselected', [], undefined],
  ['one that was skipped says nothing', ['skip', 'disabled'], 'r', [], undefined],
  ['an error decides nothing', ['error', 'pass'], 'r', [], undefined],
])('%s', (_, outcomes, id, known, complaint) => {
  const checks = applyRatchet(results(...outcomes), [entry(id)], (candidate) => candidate === 'deselected')
  expect(checks.filter((one) => one.known === 'ticket 7').map((one) => one.id)).toEqual(known)
  const [stale] = checks.slice(outcomes.length)
  expect(stale?.outcome).toBe(complaint && 'error')
  if (complaint) expect(stale?.message).toContain(complaint)
})

test.each([
  ['{', 'is no JSON'],
  ['{}', 'must be array'],
  ['[{"id": "a"}]', "must have required property 'reason'"],
  ['[{"id": "a", "reason": " "}]', '0.reason must match pattern'],
  ['[{"id": "a", "reason": "b", "until": "c"}]', 'unknown key "until" in 0'],
  ['[{"id": "a", "reason": "b"}, {"id": "a", "reason": "c"}]', 'a is listed twice'],
])('%s is refused in one sentence', async (text, sentence) => {
  writeFileSync(file, text)
  const refused = readKnownFailing(file)
  await expect(refused).rejects.toThrow(ConfigurationError)
  await expect(refused).rejects.toThrow(sentence)
})
