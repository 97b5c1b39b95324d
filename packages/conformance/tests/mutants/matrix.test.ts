/** Tests that checks kill each mutant, for each requirement that it breaks, and that each check kills one. */
import { expect, test } from 'vitest'
import { applicableMutants } from './all-mutants.ts'
import { idleOf, runMatrix, survivorsOf } from './matrix.ts'
import { mutant, onOperations } from './mutant.ts'

const broken = ['management.delete-watermark.204']
/** Mutants that survive: one changes nothing, and one only causes errors. */
const survivors = [
  mutant(
    'harmless',
    broken,
    onOperations(['delete-watermark'], () => (call, operation, next) => next(call, operation)),
  ),
  mutant(
    'unreachable',
    broken,
    onOperations(['delete-watermark'], () => () => Promise.reject(new Error('reset'))),
  ),
]

test('checks kill mutants for each broken requirement, and no check is idle on all of them', {
  timeout: 600_000,
}, async () => {
  const matrix = await runMatrix([...applicableMutants, ...survivors], { enough: true })
  expect(
    survivorsOf(matrix).map(({ id }) => id),
    'No check notices these mutants: state what the operation changes, or add a check.',
  ).toEqual(survivors.map(({ id }) => id))
  expect(idleOf(matrix), 'These checks notice no mutant: add one that breaks their requirement.').toEqual([])
  expect(matrix.mutants).toHaveLength(applicableMutants.length + survivors.length)
  for (const { id, breaks, noticed, killedBy } of matrix.mutants)
    if (killedBy.length > 0) expect(breaks, id).toEqual(breaks.filter((one) => noticed.includes(one)))
})
