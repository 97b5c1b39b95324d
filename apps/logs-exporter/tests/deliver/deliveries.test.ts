/** A receiver that is down for hours, compared with the store of the emulator, in virtual time. */
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { expect, test } from 'vitest'
import { createHttpReceiver } from '../../src/deliver/http.ts'
import { runDelivery } from '../../src/deliver/loop.ts'
import { createSimulation, hour, minute } from '../support/simulation.ts'
import { difference, none, openServer } from './server.ts'

const linesOf = (text: string) => text.split('\n').filter(Boolean)
/** How long the receiver is down, in hours. `pnpm test:full` takes the long time. */
const downHours = propertyRuns(1) > 1 ? 70 : 6

test(`a receiver that is down for ${downHours} h: the export goes on, then the receiver catches up, each row once`, {
  timeout: 300_000,
}, async () => {
  const simulation = await createSimulation({
    traffic: { zones: 1, rowsPerSecond: 0.02, lateShare: 0.3, maxLatenessMs: 2.5 * hour, tieShare: 0.2 },
    plan: { rechecks: [10 * minute, hour, 3 * hour] },
  })
  const { zones, sink, ledger, events, time } = simulation
  const [zone] = zones
  const begin = time.now()
  const isDown = () => time.now() > begin + hour && time.now() < begin + (downHours + 1) * hour
  const taken: string[] = []
  let refused = 0
  const server = await openServer(({ body }) => {
    if (isDown()) {
      refused++
      return { status: 503 }
    }
    taken.push(String(body))
    return { status: 200 }
  })
  const form = { format: 'ndjson', compression: 'gzip', key: { header: 'Idempotency-Key' } } as const
  const receiver = createHttpReceiver({ type: 'http', name: 'http', url: server.url, headers: {}, ...form }, {})
  await ledger.keepDeliveries(['http'])
  const endExport = simulation.start()
  const stop = new AbortController()
  const delivery = runDelivery({
    ...{ name: 'http', sink, ledger, signal: stop.signal },
    // Virtual time stands still while a request is on its way.
    receiver: { ...receiver, send: (piece, signal) => time.during(receiver.send(piece, signal)) },
    rejects: { add: async (_, rejects) => Promise.reject(new Error(`Unexpected rejects: ${JSON.stringify(rejects)}`)) },
    observe: (event) => void events.push(event),
    recorded: () => new Promise(() => {}),
    sleep: (ms, signal) => time.sleep(ms, signal).catch(() => {}),
  })
  await simulation.pass(downHours * hour)
  const [lag] = await ledger.deliveryLags()
  expect(lag).toMatchObject({ delivery: 'http', segments: expect.any(Number) })
  expect(time.now() - (lag?.oldest ?? 0)).toBeGreaterThan((downHours - 2) * hour)
  expect(events.filter(({ type }) => type === 'gap' || type === 'failed')).toEqual([])
  expect(await simulation.violations(zone, begin, time.now() - 4 * hour)).toEqual([])

  await simulation.pass(2 * hour)
  await endExport()
  await simulation.pass(minute)
  stop.abort(new Error('the delivery ends'))
  await delivery
  server.close()
  // The pauses grow up to five minutes.
  expect(refused).toBeLessThan(downHours * 20)
  expect(await ledger.deliveryLags()).toMatchObject([{ segments: 0, oldest: undefined }])
  expect(events.filter(({ type }) => type === 'revision').length).toBeGreaterThan(downHours * 3)
  const stored = sink.exported(zone).flatMap(({ lines }) => lines)
  expect(difference(stored, linesOf(taken.join('')))).toEqual(none)
})
