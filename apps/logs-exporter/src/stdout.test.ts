import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { publish, windowAt } from '../tests/sinks/lines.ts'
import { createMemorySink } from '../tests/support/memory-sink.ts'
import { SinkError } from './errors.ts'
import { createLedger } from './ledger/ledger.ts'
import { type StdoutOptions, writeRows } from './stdout.ts'

/** An output that passes each write to `take`. */
function outputTo(take: (text: string, done: () => void) => void): Writable {
  return new Writable({ write: (chunk, _encoding, done) => take(String(chunk), done) })
}

/** Opens an output of one row, which `record` stores. It ends when the row is written or the segment is left out. */
async function openOutput(changes: Partial<StdoutOptions> = {}) {
  const ledger = createLedger(new DatabaseSync(':memory:'))
  await ledger.setStdout(true)
  const sink = createMemorySink()
  const stop = new AbortController()
  const result = { written: [] as string[], rejects: [] as string[] }
  const options: StdoutOptions = {
    output: outputTo((text, done) => {
      result.written.push(text)
      stop.abort()
      done()
    }),
    ...{ sink, ledger },
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
    options,
    result,
    sink,
    stop,
    async record() {
      await publish(sink, windowAt(0), ['{"a":1}\n'])
      await ledger.record({ ...windowAt(0), rows: 1, nextRevision: 1, checkedAt: 0, recheckDue: undefined })
    },
  }
}

test('rows are written at the check after their window is recorded', async () => {
  const { options, result, record } = await openOutput({ sleep: () => record() })
  await writeRows(options)
  expect(result.written).toEqual(['{"a":1}\n'])
})

test('the cursor moves only when the reader has taken the rows, and a stopped reader does not keep the exporter from ending', async () => {
  const taken = Promise.withResolvers<void>()
  const { options, stop, record } = await openOutput({ output: outputTo(() => taken.resolve()) })
  await record()
  const running = writeRows(options)
  await taken.promise
  stop.abort()
  expect(await running).toBe(false)
  expect(await options.ledger.nextSegment()).toMatchObject({ sent: 0, revision: 0 })
})

test.each<[string, failures: ('down' | 'damaged')[], isWritten: boolean]>([
  ['is written after the sink was down and one read was damaged', [...Array(100).fill('down'), 'damaged'], true],
  ['is written after 20 damaged reads', Array(20).fill('damaged'), true],
  ['is left out after 21 damaged reads', Array(21).fill('damaged'), false],
])('a segment %s', async (...[, failures, isWritten]) => {
  const pauses: number[] = []
  const { options, result, sink, record } = await openOutput({ sleep: async (ms) => void pauses.push(ms) })
  await record()
  await writeRows({
    ...options,
    sink: {
      ...sink,
      segments(...range) {
        const failure = failures.shift()
        if (failure === 'damaged') throw new SinkError('damaged', 'The file is cut short.')
        if (failure === 'down') throw new SinkError('transient', 'The sink is down.')
        return sink.segments(...range)
      },
    },
  })
  const { written, rejects } = result
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5 * 60_000)
  expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(5 * 30_000)
  expect([written.length, rejects]).toEqual(isWritten ? [1, []] : [0, ['The file is cut short.']])
})
