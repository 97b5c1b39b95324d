/** What receivers have at the end, compared with the store of the emulator, in virtual time. */
import { Writable } from 'node:stream'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { afterEach, expect, test } from 'vitest'
import { createHttpReceiver } from '../../src/deliver/http.ts'
import { createOtlpReceiver } from '../../src/deliver/otlp.ts'
import { createStdoutReceiver } from '../../src/deliver/stdout.ts'
import { createSimulation, hour, minute, type SimulationOptions } from '../support/simulation.ts'
import { decode, toRow } from './otlp-decode.ts'
import { difference, none, openServer } from './server.ts'
import { startDelivery } from './simulated.ts'

let close: (() => void)[] = []
afterEach(() => {
  for (const each of close) each()
  close = []
})

async function serve(...answer: Parameters<typeof openServer>) {
  const server = await openServer(...answer)
  close.push(server.close)
  return server
}

const form = { format: 'ndjson', compression: 'gzip', key: { header: 'Idempotency-Key' } } as const
const receiverAt = (url: string) => createHttpReceiver({ type: 'http', name: 'http', url, headers: {}, ...form }, {})
const linesOf = (text: string) => text.split('\n').filter(Boolean)
const late: SimulationOptions = {
  traffic: { zones: 1, rowsPerSecond: 0.05, lateShare: 0.3, maxLatenessMs: 2.5 * hour, tieShare: 0.2 },
  plan: { rechecks: [10 * minute, hour, 3 * hour] },
}

/** How long rows arrive, and how long a receiver is down, in hours. `pnpm test:full` takes the long times. */
const { rowHours, downHours } = propertyRuns(1) > 1 ? { rowHours: 24, downHours: 70 } : { rowHours: 6, downHours: 12 }

test(`${rowHours} h with late rows in every window: each row once by http, by OTLP and on standard output`, {
  timeout: 300_000,
}, async () => {
  const simulation = await createSimulation(late)
  const { zones, sink, ledger, events, time } = simulation
  const [http, otlp] = [await serve(), await serve()]
  const printed: string[] = []
  const output = new Writable({
    write(bytes, _encoding, done) {
      printed.push(String(bytes))
      done()
    },
  })
  await ledger.keepDeliveries(['http', 'otlp', 'stdout'])
  const begin = time.now()
  const stops = [
    simulation.start(),
    startDelivery(simulation, 'http', receiverAt(http.url)),
    startDelivery(
      simulation,
      'otlp',
      createOtlpReceiver({ type: 'otlp', name: 'otlp', endpoint: otlp.url, headers: {} }, {}),
    ),
    startDelivery(simulation, 'stdout', createStdoutReceiver(output)),
  ]
  await simulation.pass((rowHours + 4) * hour)
  await stops.shift()?.()
  await simulation.pass(minute)
  for (const stop of stops) await stop()

  const stored = zones.flatMap((zone) => sink.exported(zone).flatMap(({ lines }) => lines))
  for (const zone of zones) expect(await simulation.violations(zone, begin, begin + rowHours * hour)).toEqual([])
  const revisions = events.filter(({ type }) => type === 'revision').length
  expect(revisions).toBeGreaterThan(rowHours * 6)
  expect(difference(stored, linesOf(http.received.map(({ body }) => String(body)).join('')))).toEqual(none)
  expect(difference(stored, linesOf(printed.join('')))).toEqual(none)
  const rows = otlp.received.flatMap(({ body }) => decode(body)).map(toRow)
  const idOf = ({ timestamp, url, remoteIp, source }: Record<string, unknown>) =>
    [timestamp, url, remoteIp, source].join()
  expect(
    difference(
      stored.map((line) => idOf(JSON.parse(line))),
      rows.map(idOf),
    ),
  ).toEqual(none)
  expect(await ledger.deliveryLags()).toMatchObject([{ segments: 0 }, { segments: 0 }, { segments: 0 }])
})

test(`a receiver that is down for ${downHours} h: the export goes on, then the receiver catches up, each row once`, {
  timeout: 300_000,
}, async () => {
  const simulation = await createSimulation({ ...late, traffic: { ...late.traffic, zones: 1, rowsPerSecond: 0.02 } })
  const { zones, sink, ledger, events, time } = simulation
  const [zone] = zones
  const begin = time.now()
  const isDown = () => time.now() > begin + hour && time.now() < begin + (downHours + 1) * hour
  const taken: string[] = []
  let refused = 0
  const server = await serve(({ body }) => {
    if (isDown()) {
      refused++
      return { status: 503 }
    }
    taken.push(String(body))
    return { status: 200 }
  })
  await ledger.keepDeliveries(['http'])
  const stops = [simulation.start(), startDelivery(simulation, 'http', receiverAt(server.url))]
  await simulation.pass(downHours * hour)
  const [lag] = await ledger.deliveryLags()
  expect(lag).toMatchObject({ delivery: 'http', segments: expect.any(Number) })
  expect(time.now() - (lag?.oldest ?? 0)).toBeGreaterThan((downHours - 2) * hour)
  expect(events.filter(({ type }) => type === 'gap' || type === 'failed')).toEqual([])
  expect(await simulation.violations(zone, begin, time.now() - 4 * hour)).toEqual([])

  await simulation.pass(2 * hour)
  await stops.shift()?.()
  await simulation.pass(minute)
  for (const stop of stops) await stop()
  // The pauses grow up to five minutes.
  expect(refused).toBeLessThan(downHours * 20)
  expect(await ledger.deliveryLags()).toMatchObject([{ segments: 0, oldest: undefined }])
  const stored = sink.exported(zone).flatMap(({ lines }) => lines)
  expect(difference(stored, linesOf(taken.join('')))).toEqual(none)
})
