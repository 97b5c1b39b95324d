import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { decide, requirement } from '../exchange/requirements.ts'
import { createPlan, undecidedChecks } from '../run/plan.ts'
import { explain } from './explain.ts'

const sources = fileURLToPath(new URL('..', import.meta.url))
const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('/requirements.ts'))
  .map((name) => readFileSync(join(sources, name), 'utf8'))

test('the pattern that decides an id is a literal in the sources, so that a search finds it', () => {
  const literals = new Set(createPlan().checks.map(({ decides }) => decides))
  for (const decides of literals) {
    const holders = texts.filter((text) => text.includes(`'${decides}'`))
    expect(holders.length, decides).toBeGreaterThan(0)
  }
})

test.each([
  [
    'management.add-allowed-referrer.hostname-length',
    /pull-zone\.yaml:\d+/,
    /input-checks\.ts:\d+/,
    'an empty hostname is added',
  ],
  ['logging.authentication.invalid', /openapi\.yaml:\d+/, /statuses\.ts:\d+/, '32 characters of a key'],
  [
    'management.get-pull-zone.body',
    /The body of a success[^\n]*\n\s+\S+requirements\.ts:\d+/,
    /bodies\.ts:\d+/,
    'get-pull-zone',
  ],
])('explain %s: sentence, what decides it, mutants, each with file and line', async (id, sentence, check, mutant) => {
  const text = await explain(id, 'no-such-history')
  expect(text).toMatch(sentence)
  expect(text).toMatch(check)
  expect(text).toContain(mutant)
  expect(text).toMatch(/mutants\/\S+\.ts:\d+/)
  expect(text).toContain('no run decided it')
})

test('an id that does not exist is an error, in the command and in the code', async () => {
  await expect(explain('logging.no-such-id', 'no-such-history')).rejects.toThrow(/neither a check nor a requirement/)
  expect(() => requirement('logging.no-such-id')).toThrow('the contract lists no requirement logging.no-such-id')
  const [operation] = operations
  const misspelt = () => operation && decide(operation, { decides: '<operation>.acess-key', run: async () => {} })
  expect(misspelt).toThrow(/neither lists the requirement \S+\.acess-key nor implies it/)
})

test('a requirement that nothing decides is undecided, with the reason', async () => {
  const checks = undecidedChecks([]).map(({ check }) => check)
  expect(checks.map(({ id }) => id)).toContain('logging.query-logs.400')
  for (const { run } of checks) await expect(run({} as never)).rejects.toThrow(/no check|no sweep/)
})
