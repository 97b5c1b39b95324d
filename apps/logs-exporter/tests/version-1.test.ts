/**
 * Segments that an older exporter read from version 1 of the interface (`support/version-1` holds two that release 0.1.0 wrote) stay
 * readable and verifiable, can be delivered, and are never compared with rows of version 2.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { cutPieces, keyedLines } from '../src/deliver/pieces.ts'
import { ZoneMemory } from '../src/engine/options.ts'
import { revise } from '../src/engine/recheck.ts'
import { segmentName } from '../src/segments/segment.ts'
import { openSink } from '../src/sinks/open-sink.ts'
import { segmentsOf } from '../src/sinks/sink.ts'
import { type Finding, verify } from '../src/verify/index.ts'
import { createSimulation, hour, minute, usualPlan } from './support/simulation.ts'

const { signal } = new AbortController()
const from = Date.parse('2026-06-17T14:30:00Z')
const window = { zone: '10001', from, to: from + 5 * minute }
const segment = { ...window, revision: 0, source: 'v1', rows: 20 }

async function openOld(extension: '.ndjson.zst' | '.parquet') {
  const path = temporaryFolder(onTestFinished)
  const file = join(path, segmentName({ ...window, revision: 0 }, extension))
  await mkdir(dirname(file), { recursive: true })
  await copyFile(fileURLToPath(new URL(`support/version-1/segment${extension}`, import.meta.url)), file)
  return openSink({ type: 'files', path, format: 'ndjson', compression: 'zstd' }, {})
}

test.each(['.ndjson.zst', '.parquet'] as const)('a segment of version 1 in %s', async (extension) => {
  const sink = await openOld(extension)
  const [held] = await segmentsOf(sink, window, signal)
  if (!held) throw new Error('the segment is not listed')
  expect(held).toMatchObject(segment)
  const lines: string[] = []
  for await (const piece of cutPieces(held, sink.read(held, signal), 0))
    for (const { line } of keyedLines(piece)) lines.push(line)
  expect(lines).toHaveLength(20)
  expect(JSON.parse(lines[3] ?? '')).toMatchObject({
    bytesSent: 3,
    path: '/3?q=ü',
    userAgent: 'agent "3"',
    source: 'v1',
  })

  // The platform has other rows in this window.
  const simulation = await createSimulation({ start: new Date(from + hour), traffic: { zones: 1, rowsPerSecond: 0.1 } })
  const { ledger } = simulation
  const findings: Finding[] = []
  const { encode, reader } = simulation.options(signal)
  const range = { from, to: from + 5 * minute }
  const work = { sink, reader, encode, zones: [window.zone], plan: usualPlan, range, signal }
  expect(await verify(work, (finding) => findings.push(finding))).toMatchObject({ segments: 1, rows: 20 })
  expect(findings).toEqual([])

  const options = { ...simulation.options(signal), sink, ledger }
  const state = { ...window, rows: 20, nextRevision: 1, checkedAt: window.to, recheckDue: window.to }
  await revise({ ...options, zone: window.zone, memory: new ZoneMemory() }, state)
  expect(await segmentsOf(sink, window, signal)).toHaveLength(1)
  expect(await ledger.windows(window.zone, from, from + 1)).toMatchObject([{ nextRevision: 1, recheckDue: undefined }])
})
