import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { createLedger, type Ledger } from './ledger.ts'

const minute = 60_000
let ledger: Ledger
beforeEach(() => {
  ledger = createLedger(new DatabaseSync(':memory:'))
})

/** Records a window that has `revisions` segments. */
const record = (n: number, revisions: number, zone = '1') => {
  const window = { zone, from: n * minute, to: (n + 1) * minute }
  return ledger.record({
    ...window,
    rows: 1,
    nextRevision: revisions,
    checkedAt: 0,
    recheckDue: undefined,
  })
}

/** Moves the cursor of a delivery over its next segments. Returns them as `zone:window.revision`. */
async function send(delivery: string, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const sent: string[] = []
  for (;;) {
    const next = sent.length < count && (await ledger.nextSegment(delivery))
    if (!next) return sent
    sent.push(`${next.zone}:${next.from / minute}.${next.revision}`)
    await ledger.moveCursor(delivery, next, 'whole')
  }
}

test('each revision is sent once, in the order of their records; an empty window has none', async () => {
  await ledger.keepDeliveries(['a'])
  await record(1, 0)
  await record(0, 1)
  await record(2, 1, '2')
  expect(await send('a')).toEqual(['1:0.0', '2:2.0'])
  await record(0, 1)
  await record(0, 3)
  await record(1, 1)
  expect(await send('a')).toEqual(['1:0.1', '1:0.2', '1:1.0'])
})

test('deliveries are independent; a new one begins with the oldest segment, a former one is forgotten', async () => {
  await ledger.keepDeliveries(['a', 'b'])
  for (const n of [0, 1, 2]) await record(n, 1)
  expect(await send('a')).toHaveLength(3)
  expect(await send('b', 1)).toEqual(['1:0.0'])
  expect(await ledger.deliveryLags()).toEqual([
    { delivery: 'a', segments: 0, oldest: undefined },
    { delivery: 'b', segments: 2, oldest: 2 * minute },
  ])
  await ledger.keepDeliveries(['b', 'c'])
  expect(await send('b')).toEqual(['1:1.0', '1:2.0'])
  expect(await send('c')).toHaveLength(3)
  expect((await ledger.deliveryLags()).map(({ delivery }) => delivery)).toEqual(['b', 'c'])
  expect(await ledger.nextSegment('a')).toBeUndefined()
})

test('a cursor can stand within a segment', async () => {
  await ledger.keepDeliveries(['a'])
  await record(0, 2)
  const next = await ledger.nextSegment('a')
  if (!next) throw new Error('there is a segment')
  await ledger.moveCursor('a', next, 700)
  expect(await ledger.nextSegment('a')).toEqual({ ...next, sent: 700 })
  await ledger.moveCursor('a', next, 'whole')
  expect(await ledger.nextSegment('a')).toMatchObject({ revision: 1, sent: 0 })
})

test('forgetting keeps what a delivery has not sent, and never brings back what it has', async () => {
  await ledger.keepDeliveries(['a'])
  for (const n of [0, 1, 2]) await record(n, 1)
  await send('a', 1)
  await ledger.forget('1', 2 * minute)
  expect(await send('a')).toEqual(['1:1.0', '1:2.0'])
  await ledger.forget('1', 2 * minute)
  await record(0, 1) // a backfill finds the segment in the sink again
  await record(2, 1)
  expect(await send('a')).toEqual([])
})

test('a zone that is dropped and returns is not sent again; nor is a window that is recorded again', async () => {
  await ledger.keepDeliveries(['a'])
  await record(0, 1)
  await record(1, 1)
  await send('a')
  await ledger.keepOnly([])
  await record(0, 1)
  await ledger.forgetBeyond('1', 0)
  await record(1, 1)
  expect(await send('a')).toEqual([])
})
