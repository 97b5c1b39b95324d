import { appendFile, cp, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TransportError } from '@cdn/api'
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { decodeFile, encodeFile } from '../../tests/support/encoded-file.ts'
import { createReaders, exportWindows, verifySink } from '../../tests/support/export-windows.ts'
import { minute } from '../../tests/support/simulation.ts'
import type { FormatConfig } from '../config/config.ts'
import { createFormat } from '../formats/index.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import { openFilesSink } from '../sinks/files/index.ts'
import type { Finding } from './index.ts'

const newReader = await createReaders({ tieShare: 0.2 })
let reader: WindowReader
let path: string
beforeEach(() => {
  reader = newReader()
  path = temporaryFolder(onTestFinished)
})

const first = Date.parse('2026-06-17T13:45:00Z')

const formats: FormatConfig[] = [
  { format: 'ndjson', compression: 'none' },
  { format: 'ndjson', compression: 'zstd' },
  { format: 'parquet', compression: 'zstd' },
]

describe.each(formats)('verify, files of $format, $compression', (options) => {
  async function open() {
    const format = await createFormat(options)
    const sink = openFilesSink({ path, format })
    const rows = await exportWindows(sink, reader, { from: first, to: first + 35 * minute })
    const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(format.extension)).sort()
    const file = join(path, assertDefined(names[2]))
    const from = first + 10 * minute
    /** Rewrites the file the way the exporter would write it. */
    const rewrite = async (change: (lines: string[]) => string[]) => {
      const text = await decodeFile(format, await readFile(file))
      await writeFile(file, await encodeFile(format, [change(assertDefined(text.match(/.*\n/g))).join('')]))
    }
    return { sink, rows, file, from, rewrite, extension: format.extension }
  }
  const kindsAt = (findings: readonly Finding[], at: number) => {
    for (const finding of findings) expect(finding.sentence).toMatch(/^[A-Z].*\.$/)
    return findings.filter(({ from, to }) => from <= at && to > at).map(({ kind }) => kind)
  }

  test('reports nothing for a correct sink', async () => {
    const { sink, rows } = await open()
    expect(await verifySink(sink, reader)).toEqual({
      findings: [],
      summary: { zones: 1, segments: 7, rows, rejected: 0, unread: [] },
    })
  })

  test('reports bytes behind a segment, a missing row and a duplicate row', async () => {
    const { sink, file, from, rewrite } = await open()
    const whole = await readFile(file)
    await appendFile(file, 'x')
    expect(kindsAt((await verifySink(sink, reader)).findings, from)).toContain('damaged')
    for (const [kind, text, change] of [
      ['missing', ': 1 row of the platform missing', (lines: string[]) => lines.slice(1)],
      ['surplus', ': the sink has 1 row more', (lines: string[]) => [...lines.slice(0, 1), ...lines]],
    ] as const) {
      await writeFile(file, whole)
      await rewrite(change)
      const sentence = expect.stringContaining(text)
      expect((await verifySink(sink, newReader())).findings).toMatchObject([{ kind, from, sentence }])
    }
  })

  test('rows of a range that the platform cannot show are no surplus', async () => {
    const { sink, from } = await open()
    const [bad, end] = [from + minute, from + 2 * minute]
    const readRange: WindowReader['readRange'] = async function* (window, ...rest) {
      if (window.from < bad) yield* reader.readRange({ ...window, to: Math.min(window.to, bad) }, ...rest)
      if (window.from < end && window.to > bad)
        throw new TransportError({ operation: 'query-logs' }, 'network', 'got no response')
      if (window.from >= end) yield* reader.readRange(window, ...rest)
    }
    const { findings, summary } = await verifySink(sink, { ...reader, readRange, ask: async () => {} })
    expect(summary.unread).not.toEqual([])
    expect(findings).toEqual([])
  })

  test('reports foreign rows and files', async () => {
    const { sink, file, from, rewrite } = await open()
    await cp(file, file.replace('T1355', 'T1357'))
    await cp(file, file.replace('20260617', 'of-a-person'))
    const { findings } = await verifySink(sink, reader)
    expect(kindsAt(findings, from)).toEqual(expect.arrayContaining(['overlap', 'surplus', 'damaged']))
    await unlink(file.replace('T1355', 'T1357'))
    await unlink(file.replace('20260617', 'of-a-person'))
    await rewrite((lines) => [...lines.slice(-1), ...lines.slice(0, -1)])
    expect(kindsAt((await verifySink(sink, reader)).findings, from)).toContain('foreign')
  })

  test('reports a file that is not a segment, also in a zone without segments', async () => {
    const { sink, file } = await open()
    const other = join(path, 'copy')
    await rename(file, other)
    await rm(join(path, 'zone=10001'), { recursive: true })
    await cp(other, join(dirname(file), 'copy'))
    const { findings } = await verifySink(sink, reader)
    expect(findings.map(({ kind }) => kind)).toEqual(['damaged', 'missing'])
  })

  test('beyond the retention it checks the sink against itself', async () => {
    const { sink, file, from } = await open()
    const now = reader.now() + 5 * 24 * 60 * minute
    const later = { ...reader, now: () => now }
    const until = { from: 0, to: from + 60 * minute }
    expect((await verifySink(sink, later, until)).findings).toEqual([])
    const whole = await readFile(file)
    const changed = Buffer.from(whole)
    changed.writeUInt8(whole.readUInt8(30) ^ 1, 30)
    await writeFile(file, changed)
    // Plain NDJSON has no checksum, so only the row itself can show the change.
    const expected = options.compression === 'none' ? 'foreign' : 'damaged'
    expect(kindsAt((await verifySink(sink, later, until)).findings, from)).toEqual([expected])
    await writeFile(file, whole)
    await cp(file, file.replace('.r0.', '.r1.'))
    expect((await verifySink(sink, later, until)).findings).toMatchObject([
      { kind: 'doubled', from, sentence: expect.stringContaining(': r1 repeats r0.') },
    ])
    await rename(file, file.replace('.r0.', '.r2.'))
    expect(kindsAt((await verifySink(sink, later, until)).findings, from)).toEqual(['revision', 'doubled'])
    await writeFile(file.replace('.r0.', '.r2.'), (await readFile(file.replace('.r0.', '.r1.'))).subarray(0, -1))
    expect(kindsAt((await verifySink(sink, later, until)).findings, from)).toEqual(['revision', 'damaged'])
  })
})
