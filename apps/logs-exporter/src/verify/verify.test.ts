import { cp, mkdtemp, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, type Emulator, type Fault } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testEncode, testReader } from '../../tests/support/reader.ts'
import { minute, usualPlan } from '../../tests/support/simulation.ts'
import { load, store } from '../../tests/support/stored.ts'
import type { FormatConfig } from '../config/config.ts'
import { createFormat } from '../formats/index.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import { openFilesSink } from '../sinks/files/index.ts'
import type { Sink } from '../sinks/sink.ts'
import { type Finding, verify } from './index.ts'

const signal = new AbortController().signal
const zone = '10001'
const encode = testEncode()
let emulator: Emulator
let reader: WindowReader
let path: string

beforeEach(async () => {
  emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.05, tieShare: 0.2 } })
  const around: Fault['around'] = (call, { rateLimit: _, ...operation }, next) => next(call, operation)
  emulator.faults.add({ name: 'unlimited', text: 'No rate limit.', around })
  const client = { baseUrl: emulator.loggingUrl.href, accessKey: emulator.fixtures.credentials.accessKey }
  const time = { now: () => emulator.clock.now().getTime(), sleep: async () => {} }
  reader = testReader({ ...client, fetch: emulator.fetch }, time)
  path = await mkdtemp(join(tmpdir(), 'exporter-verify-'))
})
afterEach(() => rm(path, { recursive: true }))

/** Exports 13:45 to 14:20 of the emulator's day. The emulator's clock stands at 14:30. */
async function exportWindows(sink: Sink): Promise<number> {
  const start = Date.parse('2026-06-17T13:45:00Z')
  let rows = 0
  for (let from = start; from < start + 35 * minute; from += 5 * minute) {
    const writer = await sink.begin({ zone, from, to: from + 5 * minute, revision: 0 }, signal)
    for await (const batch of reader.readRange({ zone, from: from, to: from + 5 * minute }, encode.page, signal)) {
      rows += batch.times.length
      await writer.write(encode.lines(batch))
    }
    await writer.publish()
  }
  return rows
}

async function look(sink: Sink, range?: { from: number; to: number }) {
  const findings: Finding[] = []
  const options = { sink, zones: [zone], reader, encode, plan: usualPlan, signal, range }
  const summary = await verify(options, (finding) => findings.push(finding))
  return { findings, summary }
}

const formats: FormatConfig[] = [
  { format: 'ndjson', compression: 'none' },
  { format: 'ndjson', compression: 'gzip' },
  { format: 'ndjson', compression: 'zstd' },
  { format: 'parquet', compression: 'zstd' },
]

describe.each(formats)('verify, files of $format, $compression', (options) => {
  async function open() {
    const format = await createFormat(options)
    const sink = openFilesSink({ path, format })
    const rows = await exportWindows(sink)
    const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(format.extension)).sort()
    const file = join(path, defined(names[2]))
    const from = Date.parse('2026-06-17T13:55:00Z')
    /** Rewrites the file the way the exporter would write it. */
    const rewrite = async (change: (lines: string[]) => string[]) => {
      const text = await load(format, await readFile(file))
      await writeFile(file, await store(format, [change(defined(text.match(/.*\n/g))).join('')]))
    }
    return { sink, rows, file, from, rewrite, extension: format.extension }
  }
  const kindsAt = (findings: readonly Finding[], at: number) => {
    for (const finding of findings) expect(finding.sentence).toMatch(/^[A-Z].*\.$/)
    return findings.filter(({ from, to }) => from <= at && to > at).map(({ kind }) => kind)
  }

  test('reports nothing for a correct sink', async () => {
    const { sink, rows } = await open()
    expect(await look(sink)).toEqual({ findings: [], summary: { zones: 1, segments: 7, rows, rejected: 0 } })
  })

  test('reports a deleted segment', async () => {
    const { sink, file, from } = await open()
    await unlink(file)
    const { findings } = await look(sink)
    expect(findings).toMatchObject([{ kind: 'missing', zone, from, to: from + 5 * minute }])
  })

  test('reports a changed byte at any position', async () => {
    const { sink, file } = await open()
    const whole = await readFile(file)
    for (let at = 5; at < whole.length; at += Math.ceil(whole.length / 7)) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(at) ^ 1, at)
      await writeFile(file, changed)
      // If the changed bit is unused, the change has no effect: the file still holds the same rows.
      const isSame =
        (await load(await createFormat(options), changed).catch(() => '')) ===
        (await load(await createFormat(options), whole))
      expect((await look(sink)).findings.length, `byte ${at}`).toBeGreaterThan(isSame ? -1 : 0)
      if (at > 20) expect(isSame).toBe(false)
    }
  })

  test('reports a missing row', async () => {
    const { sink, rewrite, from } = await open()
    await rewrite((lines) => lines.slice(1))
    expect((await look(sink)).findings).toMatchObject([
      { kind: 'missing', from, sentence: expect.stringContaining(': 1 row of the platform missing') },
    ])
  })

  test('reports a duplicate row', async () => {
    const { sink, rewrite, from } = await open()
    await rewrite((lines) => [...lines.slice(0, 1), ...lines])
    expect((await look(sink)).findings).toMatchObject([
      { kind: 'surplus', from, sentence: expect.stringContaining(': the sink has 1 row more') },
    ])
  })

  test('reports a truncated file', async () => {
    const { sink, file, from } = await open()
    const whole = await readFile(file)
    for (const left of [0, 1, Math.floor(whole.length / 2), whole.length - 1]) {
      await writeFile(file, whole.subarray(0, left))
      const { findings } = await look(sink)
      expect(kindsAt(findings, from), `${left} bytes`).toContain('missing')
      if (left > 1) expect(findings.map(({ kind }) => kind)).toContain('damaged')
    }
  })

  test('reports foreign rows and files', async () => {
    const { sink, file, from, rewrite } = await open()
    await cp(file, file.replace('T1355', 'T1357'))
    await cp(file, file.replace('20260617', 'of-a-person'))
    const { findings } = await look(sink)
    expect(kindsAt(findings, from)).toEqual(expect.arrayContaining(['overlap', 'surplus', 'damaged']))
    await unlink(file.replace('T1355', 'T1357'))
    await unlink(file.replace('20260617', 'of-a-person'))
    await rewrite((lines) => [...lines.slice(-1), ...lines.slice(0, -1)])
    expect(kindsAt((await look(sink)).findings, from)).toContain('foreign')
  })

  test('beyond the retention it checks the sink against itself', async () => {
    const { sink, file, from } = await open()
    const now = reader.now() + 5 * 24 * 60 * minute
    reader = { ...reader, now: () => now }
    const until = { from: 0, to: from + 60 * minute }
    expect((await look(sink, until)).findings).toEqual([])
    const whole = await readFile(file)
    const changed = Buffer.from(whole)
    changed.writeUInt8(whole.readUInt8(30) ^ 1, 30)
    await writeFile(file, changed)
    // Plain NDJSON has no checksum, so only the row itself can show the change.
    const expected = options.compression === 'none' ? 'foreign' : 'damaged'
    expect(kindsAt((await look(sink, until)).findings, from)).toEqual([expected])
    await writeFile(file, whole)
    await cp(file, file.replace('.r0.', '.r1.'))
    expect((await look(sink, until)).findings).toMatchObject([
      { kind: 'doubled', from, sentence: expect.stringContaining(': r1 repeats r0.') },
    ])
    await rename(file, file.replace('.r0.', '.r2.'))
    expect(kindsAt((await look(sink, until)).findings, from)).toEqual(['revision', 'doubled'])
    await writeFile(file.replace('.r0.', '.r2.'), (await readFile(file.replace('.r0.', '.r1.'))).subarray(0, -1))
    expect(kindsAt((await look(sink, until)).findings, from)).toEqual(['revision', 'damaged'])
  })
})
