import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createMemorySink } from '../../tests/support/memory-sink.ts'
import { createLedger } from '../ledger/ledger.ts'
import { createWake } from '../wake.ts'
import { accepted, runDelivery } from './loop.ts'

test('a delivery sends a segment when it is recorded, before its pause ends', async () => {
  const ledger = createLedger(new DatabaseSync(':memory:'))
  await ledger.keepDeliveries(['search'])
  const sink = createMemorySink()
  const recorded = createWake()
  const stop = new AbortController()
  const sent: string[] = []
  const delivery = runDelivery({
    name: 'search',
    receiver: {
      async check() {},
      async connect() {},
      async send({ bytes }) {
        sent.push(String(bytes))
        stop.abort()
        return accepted
      },
    },
    ...{ sink, ledger, recorded: recorded.next },
    rejects: { add: async () => {} },
    observe: () => {},
    sleep: async (_, signal) => void (await once(signal, 'abort')), // never ends by itself
    signal: stop.signal,
  })
  await new Promise(setImmediate) // the delivery has found nothing, and waits
  const window = { zone: '1', from: 0, to: 300_000 }
  const writer = await sink.begin({ ...window, revision: 0 }, stop.signal)
  await writer.write({ bytes: Buffer.from('{"a":1}\n'), rows: 1, replaced: 0, rejects: [] })
  await writer.publish()
  await ledger.record({ ...window, rows: 1, nextRevision: 1, checkedAt: 0, recheckDue: undefined })
  recorded.wake()
  await delivery
  expect(sent).toEqual(['{"a":1}\n'])
})
