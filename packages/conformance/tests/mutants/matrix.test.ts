/** Tests that checks kill each mutant, for each requirement that it breaks, and that each check kills one. */
import { beforeAll, expect, test } from 'vitest'
import { applicableMutants } from './all.ts'
import { idleOf, type Matrix, matrixText, runMatrix, survivorsOf } from './matrix.ts'
import { mutant, on, type ServerUnderTest } from './mutant.ts'

const harmless: ServerUnderTest = mutant(
  'harmless',
  ['management.delete-watermark.204'],
  on(['delete-watermark'], () => (call, operation, next) => next(call, operation)),
)

const unreachable: ServerUnderTest = mutant(
  'unreachable',
  ['management.delete-watermark.204'],
  on(['delete-watermark'], () => () => Promise.reject(new Error('reset'))),
)

let all: Matrix
beforeAll(async () => {
  all = await runMatrix([...applicableMutants, harmless, unreachable], { enough: true })
}, 600_000)

function partOf(mutants: readonly ServerUnderTest[]): Matrix {
  const ids = mutants.map(({ id }) => id)
  const checks = all.checks.map((check) => ({ ...check, kills: check.kills.filter((id) => ids.includes(id)) }))
  return { mutants: all.mutants.filter(({ id }) => ids.includes(id)), checks }
}

test('checks kill mutants for each broken requirement, and no check is idle on all of them', () => {
  const matrix = partOf(applicableMutants)
  expect(matrix.mutants).toHaveLength(applicableMutants.length)
  expect(
    survivorsOf(matrix),
    'No check notices these mutants: state what the operation changes, or add a check.',
  ).toEqual([])
  expect(idleOf(matrix), 'These checks notice no mutant: add one that breaks their requirement.').toEqual([])
  for (const { id, breaks, noticed } of matrix.mutants)
    expect(
      breaks.filter((broken) => !noticed.includes(broken)),
      id,
    ).toEqual([])
  expect(matrixText(matrix)).toMatch(/\d+ mutants, 0 survive; \d+ checks, \d+ idle, \d+ exempt$/)
})

test('a mutant that changes nothing survives, and so does one that only causes errors', () => {
  const matrix = partOf([harmless, unreachable])
  expect(survivorsOf(matrix).map(({ id }) => id)).toEqual(['harmless', 'unreachable'])
  expect(idleOf(matrix).length).toBeGreaterThan(100)
  expect(matrixText(matrix)).toContain('Survivor: harmless')
})
