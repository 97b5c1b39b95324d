/** Tests a few mutants with live runs, over real sockets and in simulated time. */
import type { Emulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { runLive } from '../support/live-run.ts'
import { serverMutants } from './all-mutants.ts'

const ids = [
  'rate-limit.query-logs.window-shorter',
  'limit: requests with a token have one of their own',
  'zone: a suspended one is shown to a token',
  'credential.query-logs.forged-token-accepted',
  'parameter.query-logs.url-contains-ignored',
  'error.400.array',
  'referrers: a JSON string is accepted as the hostname',
  'v1: the gzip of a file lacks its trailer',
]

test.each(ids)('%s fails a live run', { timeout: 300_000 }, async (id) => {
  const [mutant] = serverMutants.filter((one) => one.id === id)
  const breaks = (requirements: readonly string[]) => requirements.some((one) => mutant?.breaks.includes(one))
  const world = { name: id, traffic: 'planted', ...(mutant && { break: mutant.apply }) } as const
  const { report } = await runLive(world, { select: ({ requirements }) => breaks(requirements) })
  expect(
    report.causes.filter(({ outcome }) => outcome === 'fail').some(({ requirements }) => breaks(requirements)),
  ).toBe(true)
})

test('damage in another resource is put down to the request that does it, and is not taken for an old read', async () => {
  const [bystander] = serverMutants.filter((one) => one.id === 'change.put-watermark.bystander')
  const world = { name: 'bystander', traffic: 'planted', ...(bystander && { break: bystander.apply }) } as const
  const select = ({ id }: { id: string }) => /(watermark|allowed-referrer)\.(effect|request-object|404)$/.test(id)
  const { report, durationMs } = await runLive(world, { select })
  expect(report.causes.map(({ operation, requirements }) => [operation, requirements])).toEqual([
    ['management.put-watermark', ['management.put-watermark.effect']],
  ])
  // With old reads, each check waits for seconds.
  expect(durationMs).toBeLessThan(160_000)
}, 300_000)

test('a list that never shows a change is a failure, not the loss of a single write', async () => {
  const frozen = new Map<unknown, unknown>()
  const freeze = (emulator: Emulator) =>
    void emulator.faults.add({
      name: 'frozen',
      text: 'The list shows the first state.',
      async around(call, operation, next) {
        const response = await next(call, operation)
        if (operation.name !== 'list-video-libraries' || typeof response.body !== 'string') return response
        const items: readonly Record<string, unknown>[] = JSON.parse(response.body)
        for (const { Id, HasWatermark } of items) if (!frozen.has(Id)) frozen.set(Id, HasWatermark)
        return {
          ...response,
          body: JSON.stringify(items.map((item) => ({ ...item, HasWatermark: frozen.get(item['Id']) }))),
        }
      },
    })
  const select = ({ id }: { id: string }) => /delete-watermark\.(204|404)$/.test(id)
  const { report } = await runLive({ name: 'frozen', break: freeze }, { select })
  // The list is read before the first write, so the deletion is the first change that it does not show.
  expect(report.causes.map(({ requirements }) => requirements)).toEqual([['management.delete-watermark.effect']])
}, 300_000)
