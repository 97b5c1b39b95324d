/**
 * A sample of `tests/campaigns/causes.ts`: at most two causes for one fault, and no accusation that is untrue. It has no operation of the logs,
 * whose checks take a minute each.
 */
import { beforeAll, expect, test } from 'vitest'
import type { CheckRun } from '../src/index.ts'
import { applicableMutants } from './mutants/all.ts'
import { faultsOnOperations, judge, runsOnRight } from './mutants/causes.ts'

let right: readonly CheckRun[]
beforeAll(async () => {
  right = await runsOnRight(({ id }) => id.startsWith('management.'))
}, 600_000)

const faults = faultsOnOperations(['internal-error', 'no-json', 'bad-gateway'])
const ids = ['internal-error on get-pull-zone', 'no-json on list-pull-zones', 'bad-gateway on get-pull-zone']
const mutants = [
  'status.delete-watermark.204-202',
  'scheme.get-video-library.bearer-refused-at-first',
  'status.put-watermark.204-202',
]
const sample = [...faults, ...applicableMutants].filter(({ id }) => ids.includes(id) || mutants.includes(id))

test.each(sample)('$id', { timeout: 600_000 }, async (server) => {
  const { causes, untrue } = await judge(server, right)
  expect(causes.length, causes.join('\n')).toBeGreaterThan(0)
  expect(causes.length, causes.join('\n')).toBeLessThanOrEqual(2)
  expect(untrue).toEqual([])
})

test('DELETE watermark that always answers 500 is one cause', { timeout: 600_000 }, async () => {
  const server = faults.find(({ id }) => id === 'internal-error on delete-watermark')
  expect(server && (await judge(server, right)).causes).toEqual(['management.delete-watermark: status 500'])
})

test('the sample is there', () => expect(sample).toHaveLength(6))
