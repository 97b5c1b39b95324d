import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoggingClient, readLogFile } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { describe, expect, test } from 'vitest'
import { download } from '../../src/logs/download/download.ts'
import { createLineFormat } from '../../src/logs/download/line-format.ts'
import { loadMutant, type Mutation } from './mutant.ts'

/** Goes on with a file that was cut, of a day that has meanwhile got a late row before the cut, and one after it. */
async function goOn(run: typeof download, tieOrder: 'shuffled' | 'stable', isLate: boolean) {
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
  const handle = await open(join(folder, 'part'), 'w+')
  const plan = {
    read: (start: number) => readLogFile(client, { pullZoneId: 10001, date: clock.now(), start, anyOrder: true }),
    format: createLineFormat(false),
    handle,
    now: () => clock.now().getTime(),
    sleep: async () => {},
    observe: async () => {},
  }
  try {
    await run(plan)
    const { size } = await handle.stat()
    await handle.truncate(Math.floor(size * 0.7))
    clock.advance(600_000)
    const [model] = state.logs.rows('10001')
    if (model && isLate) state.logs.append([{ ...model, timestamp: Date.UTC(2026, 5, 17, 2), path: '/late' }])
    await run(plan)
    const lines = (await readFile(join(folder, 'part'), 'utf8')).split('\n').slice(0, -1).sort()
    const expected: string[] = []
    for await (const line of plan.read(0)) expected.push(plan.format(line))
    return { lines, expected: expected.sort() }
  } finally {
    await handle.close()
    await rm(folder, { recursive: true })
  }
}

test.each(['shuffled', 'stable'] as const)('a cut file is gone on with, ties %s', async (ties) => {
  for (const isLate of [false, true]) {
    const { lines, expected } = await goOn(download, ties, isLate)
    expect(lines).toEqual(expected)
  }
})

describe('with a mistake it is another file', () => {
  test.each<[string, Mutation]>([
    [
      'the overlap is not compared',
      { file: 'download/download.ts', from: '!isSame(seam.overlap, again)', to: 'false' },
    ],
    [
      'the skipped lines are one too many',
      {
        file: 'download/download.ts',
        from: 'seam.lines - seam.overlap.length : 0',
        to: 'seam.lines - seam.overlap.length + 1 : 0',
      },
    ],
    [
      'the file is not cut',
      { file: 'download/download.ts', from: 'await handle.truncate(bytes)', to: 'bytes = (await handle.stat()).size' },
    ],
  ])('%s', async (_text, mutation) => {
    const mutant = await loadMutant<{ download: typeof download }>('download/download.ts', mutation)
    const ends = await Promise.all(
      [false, true].map((isLate) =>
        goOn(mutant.download, 'shuffled', isLate).catch(() => ({ lines: [], expected: ['failed'] })),
      ),
    )
    expect(ends.every(({ lines, expected }) => JSON.stringify(lines) === JSON.stringify(expected))).toBe(false)
  })
})
