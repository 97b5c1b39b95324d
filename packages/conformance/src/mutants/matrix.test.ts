/** A suite that a broken server passes is worth nothing: the whole matrix is run. */
import { expect, test } from 'vitest'
import { createPlan } from '../plan.ts'
import { applicableMutants } from './all.ts'
import { runMutantsCommand, toText } from './command.ts'
import { idleOf, runMatrix, survivorsOf } from './matrix.ts'
import { type Mutant, mutant, on } from './mutant.ts'

test('every mutant is killed in each requirement that it breaks, and no check is idle', {
  timeout: 300_000,
}, async () => {
  const matrix = await runMatrix()
  expect(matrix.mutants).toHaveLength(applicableMutants.length)
  expect(survivorsOf(matrix)).toEqual([])
  expect(idleOf(matrix)).toEqual([])
  const { checks } = createPlan()
  const requirementsOf = new Map(checks.map(({ id, requirements }) => [id, requirements]))
  for (const { id, breaks, killedBy } of matrix.mutants) {
    const noticed = killedBy.flatMap((check) => requirementsOf.get(check) ?? [])
    expect(
      breaks.filter((broken) => !noticed.includes(broken)),
      id,
    ).toEqual([])
  }
  expect(toText(matrix)).toMatch(/\d+ mutants, 0 survive; \d+ checks, 0 idle, \d+ exempt\n$/)
})

const harmless: Mutant = mutant(
  'harmless',
  'Nothing is wrong.',
  ['management.delete-watermark.204'],
  on(['delete-watermark'], () => (call, operation, next) => next(call, operation)),
)

const unreachable: Mutant = mutant(
  'unreachable',
  'The platform cannot be reached.',
  ['management.delete-watermark.204'],
  on(['delete-watermark'], () => () => Promise.reject(new Error('reset'))),
)

test('a mutant that does nothing survives, and so does one that only leads to errors', async () => {
  const matrix = await runMatrix([harmless, unreachable])
  expect(survivorsOf(matrix).map(({ id }) => id)).toEqual(['harmless', 'unreachable'])
  expect(idleOf(matrix).length).toBeGreaterThan(100)
  expect(toText(matrix)).toContain('Survivor: harmless')
})

test('an unknown option is one sentence', async () => {
  await expect(runMutantsCommand(['--fast'], process.stdout)).rejects.toThrow(/^Unknown option --fast;/)
})
