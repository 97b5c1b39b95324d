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

/** Moves the cursor over the next segments. Returns them as `zone:window.revision`. */
async function send(count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const sent: string[] = []
  for (;;) {
    const next = sent.length < count && (await ledger.nextSegment())
    if (!next) return sent
    sent.push(`${next.zone}:${next.from / minute}.${next.revision}`)
    await ledger.moveCursor(next, 'whole')
  }
}

test('each revision is written once, in the order of their records; an empty window has none', async () => {
  await ledger.setStdout(true)
  await record(1, 0)
  await record(0, 1)
  await record(2, 1, '2')
  expect(await send()).toEqual(['1:0.0', '2:2.0'])
  await record(0, 1)
  await record(0, 3)
  await record(1, 1)
  expect(await send()).toEqual(['1:0.1', '1:0.2', '1:1.0'])
})

test('a cursor begins with the oldest segment, counts what is left, and is forgotten when rows are no longer written', async () => {
  expect(await ledger.stdoutLag()).toBeUndefined()
  for (const n of [0, 1, 2]) await record(n, 1)
  await ledger.setStdout(true)
  expect(await send(1)).toEqual(['1:0.0'])
  await ledger.setStdout(true)
  expect(await ledger.stdoutLag()).toEqual({ segments: 2, oldest: 2 * minute })
  expect(await send()).toEqual(['1:1.0', '1:2.0'])
  expect(await ledger.stdoutLag()).toEqual({ segments: 0, oldest: undefined })
  await ledger.setStdout(false)
  expect([await ledger.nextSegment(), await ledger.stdoutLag()]).toEqual([undefined, undefined])
  await ledger.setStdout(true)
  expect(await send()).toHaveLength(3)
})

test('a cursor can stand within a segment', async () => {
  await ledger.setStdout(true)
  await record(0, 2)
  const next = await ledger.nextSegment()
  if (!next) throw new Error('there is a segment')
  await ledger.moveCursor(next, 700)
  expect(await ledger.nextSegment()).toEqual({ ...next, sent: 700 })
  await ledger.moveCursor(next, 'whole')
  expect(await ledger.nextSegment()).toMatchObject({ revision: 1, sent: 0 })
})

test('forgetting keeps what is not written, and never brings back what is', async () => {
  await ledger.setStdout(true)
  for (const n of [0, 1, 2]) await record(n, 1)
  await send(1)
  await ledger.forget('1', 2 * minute)
  expect(await send()).toEqual(['1:1.0', '1:2.0'])
  await ledger.forget('1', 2 * minute)
  await record(0, 1) // a backfill finds the segment in the sink again
  await record(2, 1)
  expect(await send()).toEqual([])
})

test('a zone that is dropped and returns is not sent again; nor is a window that is recorded again', async () => {
  await ledger.setStdout(true)
  await record(0, 1)
  await record(1, 1)
  await send()
  await ledger.keepOnly([])
  await record(0, 1)
  await ledger.forgetBeyond('1', 0)
  await record(1, 1)
  expect(await send()).toEqual([])
})

test('a revision that left the sink after its output is sent again, with its new rows', async () => {
  await ledger.setStdout(true)
  await record(0, 2)
  expect(await send()).toEqual(['1:0.0', '1:0.1'])
  await record(0, 1) // a backfill restored the rows of both deleted segments as one
  await record(0, 2)
  expect(await send()).toEqual(['1:0.1'])
})
