/**
 * A sample of `campaigns/mutants.ts` and `campaigns/faults.ts`: at most two causes for one mistake, and no untrue accusation. It leaves out
 * the operations of the logs, because their checks take several seconds per mistake.
 */
import { beforeAll, expect, test } from 'vitest'
import { createPlan } from '../src/index.ts'
import { applicableMutants } from './mutants/all-mutants.ts'
import { faultyServers } from './mutants/faulty-servers.ts'
import { type Matrix, rowProblem, runMatrix } from './mutants/matrix.ts'

const ids = [
  ...['internal-error on get-pull-zone', 'no-json on list-pull-zones', 'bad-gateway on get-pull-zone'],
  ...[
    'status.delete-watermark.204-202',
    'scheme.get-video-library.bearer-refused-at-first',
    'status.put-watermark.204-202',
  ],
  'internal-error on delete-watermark',
]

let rows: Matrix['mutants']
beforeAll(async () => {
  const servers = [...faultyServers, ...applicableMutants].filter(({ id }) => ids.includes(id))
  const checks = createPlan().checks.filter(({ id }) => id.startsWith('management.'))
  rows = (await runMatrix(servers, { checks })).mutants
}, 600_000)

test.each(ids)('%s', (id) => {
  const row = rows.find((one) => one.id === id)
  expect(row?.verdict?.causes.length).toBeGreaterThan(0)
  expect(row && rowProblem(row)).toBeUndefined()
})

test('DELETE watermark that always answers 500 is one cause', () => {
  const row = rows.find(({ id }) => id === 'internal-error on delete-watermark')
  expect(row?.verdict?.causes).toEqual([
    'DELETE /videolibrary/{id}/watermark: a request is answered 500 instead of 204',
  ])
})
