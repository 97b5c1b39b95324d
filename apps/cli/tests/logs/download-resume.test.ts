import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoggingClient } from '@cdn/api'
import { readLogLines } from '@cdn/api/logs'
import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { download } from '../../src/logs/download/download.ts'
import { createStatusLine } from '../../src/logs/status-line.ts'
import { createWriter } from '../../src/terminal/writer.ts'
import { createStream } from '../support/cli.ts'

/** Resumes a truncated file. Since the truncation, the day got one late row before the cut and one after it. */
async function resume(tieOrder: 'shuffled' | 'stable', isLate: boolean) {
  const emulator = await createEmulator({
    variants: { tieOrder },
    traffic: { zones: 1, rowsPerSecond: 0.02, tieShare: 0.8, hostileShare: 0 },
  })
  const { clock, state } = emulator
  const client = createLoggingClient({
    baseUrl: emulator.loggingUrl,
    fetch: emulator.fetch,
    accessKey: emulator.fixtures.credentials.accessKey,
  })
  const folder = await mkdtemp(join(tmpdir(), 'download-'))
  const handle = await open(join(folder, 'part'), 'a+')
  const plan = {
    read: (start: number) => readLogLines(client, { pullZoneId: 10001, date: clock.now(), start, anyOrder: true }),
    format: (line: string) => line,
    handle,
    now: () => clock.now().getTime(),
    sleep: async () => {},
    range: { from: 0, to: 1 },
    line: createStatusLine({ out: createWriter(createStream().stream), err: createWriter(createStream().stream) }),
  }
  try {
    await download(plan)
    const { size } = await handle.stat()
    await handle.truncate(Math.floor(size * 0.7))
    clock.advance(600_000)
    const [model] = state.logs.rows('10001')
    if (model && isLate) state.logs.append([{ ...model, timestamp: Date.UTC(2026, 5, 17, 2), path: '/late' }])
    await download(plan)
    const lines = (await readFile(join(folder, 'part'), 'utf8')).split('\n').slice(0, -1).sort()
    const expected: string[] = []
    for await (const lines of plan.read(0)) expected.push(...lines.map(({ text }) => text))
    return { lines, expected: expected.sort() }
  } finally {
    await handle.close()
    await rm(folder, { recursive: true })
  }
}

test.each(['shuffled', 'stable'] as const)(
  'a truncated file is resumed and becomes complete, ties %s',
  async (ties) => {
    for (const isLate of [false, true]) {
      const { lines, expected } = await resume(ties, isLate)
      expect(lines).toEqual(expected)
    }
  },
)
