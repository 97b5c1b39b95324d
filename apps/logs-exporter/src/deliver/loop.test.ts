import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { publish, windowAt } from '../../tests/sinks/lines.ts'
import { createMemorySink } from '../../tests/support/memory-sink.ts'
import { DeliveryError, SinkError } from '../errors.ts'
import { createLedger } from '../ledger/ledger.ts'
import { createWake } from '../wake.ts'
import { accepted, type Delivery, runDelivery } from './loop.ts'

/** Opens a delivery of one row, which `record` stores. It ends when the row is sent or the segment is left out. */
async function openDelivery({ receive = () => {}, ...changes }: Partial<Delivery> & { receive?: () => void }) {
  const ledger = createLedger(new DatabaseSync(':memory:'))
  await ledger.keepDeliveries(['search'])
  const sink = createMemorySink()
  const recorded = createWake()
  const stop = new AbortController()
  const result = { sent: [] as string[], rejects: [] as string[] }
  const delivery: Delivery = {
    name: 'search',
    receiver: {
      async check() {},
      async connect() {},
      async send({ bytes }) {
        receive()
        result.sent.push(String(bytes))
        stop.abort()
        return accepted
      },
    },
    ...{ sink, ledger, recorded: recorded.next },
    rejects: {
      async add(_, lines) {
        result.rejects.push(...lines.map(({ reason }) => reason))
        stop.abort()
      },
    },
    observe: () => {},
    sleep: async () => {},
    signal: stop.signal,
    ...changes,
  }
  return {
    delivery,
    result,
    sink,
    async record() {
      await publish(sink, windowAt(0), ['{"a":1}\n'])
      await ledger.record({ ...windowAt(0), rows: 1, nextRevision: 1, checkedAt: 0, recheckDue: undefined })
      recorded.wake()
    },
  }
}

test('a delivery sends a segment when it is recorded, before its pause ends', async () => {
  const { delivery, result, record } = await openDelivery({
    sleep: async (_, signal) => void (await once(signal, 'abort')), // never ends by itself
  })
  const running = runDelivery(delivery)
  await new Promise(setImmediate) // the delivery has found nothing, and waits
  await record()
  await running
  expect(result.sent).toEqual(['{"a":1}\n'])
})

test.each<[string, failures: ('down' | 'damaged')[], isSent: boolean]>([
  ['is sent after a receiver was down and one read was damaged', [...Array(100).fill('down'), 'damaged'], true],
  ['is sent after 20 damaged reads', Array(20).fill('damaged'), true],
  ['is left out after 21 damaged reads', Array(21).fill('damaged'), false],
])('a segment %s', async (...[, failures, isSent]) => {
  const pauses: number[] = []
  const { delivery, result, sink, record } = await openDelivery({
    sleep: async (ms) => void pauses.push(ms),
    receive: () => {
      if (failures.shift()) throw new DeliveryError('transient', 'The receiver is down.')
    },
  })
  await record()
  await runDelivery({
    ...delivery,
    sink: {
      ...sink,
      segments(...range) {
        if (failures[0] !== 'damaged') return sink.segments(...range)
        failures.shift()
        throw new SinkError('damaged', 'The file is cut short.')
      },
    },
  })
  const { sent, rejects } = result
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5 * 60_000)
  expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(5 * 30_000)
  expect([sent.length, rejects]).toEqual(isSent ? [1, []] : [0, ['The file is cut short.']])
})
