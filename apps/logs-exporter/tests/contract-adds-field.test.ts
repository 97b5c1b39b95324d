/** Segments stay as they were when the contract learns a field: their rows are recognized, and nothing is stored twice. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { linesOf } from '../src/formats/format.ts'
import { columns } from '../src/rows/columns.ts'
import { contents, line, signal } from './sinks/lines.ts'
import { compareLines } from './support/compare-lines.ts'
import { end, openFiles, openReader, start, verifySink, zone } from './support/export-windows.ts'
import { testEncode } from './support/test-settings.ts'

const learnedField = 'ja4Fingerprint'
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

test.each(['ndjson', 'parquet'])(
  '%s: rows of an older contract are found again',
  { timeout: 120_000 },
  async (format) => {
    expect(columns.map(({ name }) => name)).toContain(learnedField)
    const path = temporaryFolder(onTestFinished)
    const preload = ['--import', file('support/older-contract.ts'), file('support/export-windows.ts')]
    await promisify(execFile)(process.execPath, [...preload, path, format])

    const [reader, sink] = [await openReader(), await openFiles(path, format)]
    const encode = testEncode(sink)
    const { findings } = await verifySink(sink, reader)
    expect(findings.filter(({ from }) => from < end)).toEqual([])

    const reading: string[] = []
    for await (const batch of reader.readRange({ zone, from: start, to: end }, encode.page, signal))
      reading.push(...linesOf(Buffer.from(encode.lines(batch).bytes).toString()))
    const stored = Object.values(await contents(sink, zone)).flatMap((text) => [...linesOf(text)])
    const isOlder = (text: string) => text.indexOf(`"${learnedField}"`) > text.indexOf('"timestamp"')
    expect(stored.filter(isOlder).length).toBeGreaterThan(10)
    expect(stored.filter((text) => !reading.includes(text)).length).toBeGreaterThan(10)
    expect(await compareLines(reading, [stored])).toEqual({ lines: [], missing: 0 })
    const late = line({ zone, from: end - 1, to: end }, 0).trimEnd()
    expect(await compareLines([...reading, late], [stored])).toEqual({ lines: [late], missing: 0 })
    expect(await compareLines(reading.slice(1), [stored])).toEqual({ lines: [], missing: 1 })
  },
)
