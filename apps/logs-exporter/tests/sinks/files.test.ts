import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { collect } from '@cdn/kit/testing/collect'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { FormatConfig } from '../../src/config/config.ts'
import type { SinkError } from '../../src/errors.ts'
import { createFormat } from '../../src/formats/index.ts'
import { ndjson } from '../../src/formats/ndjson.ts'
import { type Disk, disk } from '../../src/sinks/files/disk.ts'
import { type FilesSinkOptions, openFilesSink } from '../../src/sinks/files/index.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, toLines, windowAt } from './lines.ts'

const formats: FormatConfig[] = [
  { format: 'ndjson', compression: 'none' },
  { format: 'ndjson', compression: 'gzip' },
  { format: 'ndjson', compression: 'zstd' },
  { format: 'parquet', compression: 'zstd' },
]
describe.each(formats)('files, $format, $compression', (options) => {
  const folder = temporaryFolder()
  sinkContract(async (place) => openFilesSink({ path: join(folder, place), format: await createFormat(options) }))
})

const window = windowAt(0)
const [a, b, c] = [line(window, 1), line(window, 2), line(window, 3)]
const name = 'zone=4711/date=2026-06-17/hour=14/20260617T143000Z-20260617T143500Z.r0'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

const open = (options: Partial<FilesSinkOptions> = {}) =>
  openFilesSink({ path: folder, format: ndjson('zstd'), ...options })

/** The paths of all files, below the folder of the sink. */
async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

describe('a segment in a file', () => {
  test('is immutable: publishing the same content succeeds, other content loses, in any format', async () => {
    const [zstd, plain] = [open(), open({ format: ndjson('none') })]
    const first = await publish(zstd, window, [a])
    expect(await publish(zstd, window, [a])).toEqual(first)
    expect(await publish(plain, window, [a])).toEqual(first)
    expect(await publish(zstd, window, [b])).toEqual({ ...first, outcome: 'conflict' })
    expect(await publish(plain, window, [b])).toEqual({ ...first, outcome: 'conflict' })
    await publish(plain, window, [b], { revision: 1 })
    expect(Object.values(await contents(zstd))).toEqual([a, b])
    expect(await files()).toEqual([`${name}.ndjson.zst`, `${name.replace('r0', 'r1')}.ndjson`])
  })

  test('is published although it had no write for an hour', async () => {
    const sink = open()
    const writer = await sink.begin({ ...window, revision: 0 }, signal)
    await writer.write(toLines(a))
    const [unfinished = ''] = await files()
    await utimes(join(folder, unfinished), 0, Date.now() / 1000 - 3600)
    await sink.check(signal) // removes abandoned files, as the next segment does
    expect(await writer.publish()).toMatchObject({ outcome: 'published' })
  })

  test('leaves no file if a check finds no hard links', async () => {
    const link = () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }))
    await expect(open({ disk: { ...disk, link } }).check(signal)).rejects.toMatchObject({ kind: 'permanent' })
    expect(await files()).toEqual([])
  })

  test('leaves no file if it is discarded', async () => {
    const writer = await open().begin({ ...window, revision: 0 }, signal)
    await writer.write(toLines(a))
    expect(await files()).toHaveLength(1)
    await writer.discard()
    expect(await files()).toEqual([])
  })

  test('is reported after a change, and so is a file with another name; all other segments are listed', async () => {
    const sink = open()
    const { segment } = await publish(sink, window, [a])
    await publish(sink, window, [b], { revision: 1 })
    await writeFile(join(folder, `${name}.ndjson.zst`), 'broken')
    await writeFile(join(folder, `${name}.ndjson.zst.copy`), '')
    const errors: SinkError[] = []
    const segments = await collect(sink.segments(window, signal, (error) => void errors.push(error)))
    expect(segments.map(({ revision }) => revision)).toEqual([1])
    expect(errors.map(({ kind }) => kind)).toEqual(['damaged', 'damaged'])
    const damaged = { name: 'SinkError', kind: 'damaged' }
    await expect(collect(sink.segments(window, signal))).rejects.toMatchObject(damaged)
    await expect(collect(sink.read(segment, signal))).rejects.toMatchObject(damaged)
  })

  test.skipIf(process.platform === 'win32')(
    'can be read by its owner only, unless the mode says otherwise',
    async () => {
      const modeOf = async (revision: number) =>
        (await stat(join(folder, `${name.replace('r0', `r${revision}`)}.ndjson.zst`))).mode & 0o777
      await publish(open(), window, [a])
      await publish(open({ mode: 0o640 }), window, [b], { revision: 1 })
      expect([await modeOf(0), await modeOf(1)]).toEqual([0o600, 0o640])
    },
  )

  test('can be written after a clean-up job has removed empty folders', async () => {
    const sink = open()
    await sink.check(signal)
    await publish(sink, window, [a])
    await rm(join(folder, '.tmp'), { recursive: true })
    await rm(join(folder, 'zone=4711'), { recursive: true })
    await publish(sink, window, [b])
    const writer = await sink.begin({ ...window, revision: 1 }, signal)
    await writer.write(toLines(c))
    await rm(join(folder, 'zone=4711'), { recursive: true })
    expect(await writer.publish()).toMatchObject({ outcome: 'published' })
    await rm(join(folder, '.tmp'), { recursive: true })
    await sink.check(signal)
    expect(Object.values(await contents(sink))).toEqual([c])
    await rm(join(folder, 'zone=4711'), { recursive: true })
    expect(await publish(sink, windowAt(12), [line(windowAt(12), 0)])).toMatchObject({ outcome: 'published' })
  })
})

describe('a failing disk', () => {
  const failing = (code: string, change: (fail: () => Promise<never>) => Partial<Disk>): Disk => {
    const fail = () => Promise.reject(Object.assign(new Error(code), { code }))
    return { ...disk, ...change(fail) }
  }

  test('is a transient error if it is full: no part of the segment is visible, and a retry succeeds', async () => {
    const full = failing('ENOSPC', (fail) => ({
      create: async (path, mode) => ({ ...(await disk.create(path, mode)), write: fail }),
    }))
    const error = await publish(open({ disk: full, format: ndjson('none') }), window, [a]).catch((cause) => cause)
    expect(error).toMatchObject({ name: 'SinkError', kind: 'transient' })
    expect(String(error)).toContain(`${folder} of the files sink cannot be used: its disk is full`)
    expect((await files()).filter((path) => !path.startsWith('.tmp/'))).toEqual([])
    expect(await publish(open(), window, [a])).toMatchObject({ outcome: 'published' })
  })

  test.each([
    ['EROFS', 'transient', 'read-only'],
    ['EACCES', 'permanent', 'may not write to it'],
    ['ENOTSUP', 'permanent', 'hard links'],
    ['EDQUOT', 'transient', 'its quota is used up'],
    ['EWEIRD', 'transient', 'EWEIRD (EWEIRD)'],
  ])('with %s fails the check: %s', async (code, kind, why) => {
    const refusing = failing(code, (fail) => (code === 'ENOTSUP' ? { link: fail } : { create: fail }))
    const message = expect.stringContaining(why)
    await expect(open({ disk: refusing }).check(signal)).rejects.toMatchObject({ kind, message })
  })

  test('is swept of crash leftovers after a quarter of an hour; a check leaves no file', async () => {
    const old = { ...disk, changedAt: async () => Date.now() - 16 * 60_000 }
    await open().check(signal)
    await writeFile(join(folder, '.tmp', 'left.tmp'), 'x')
    await open().check(signal)
    expect(await files()).toEqual(['.tmp/left.tmp'])
    await open({ disk: old }).check(signal)
    expect(await files()).toEqual([])
  })
})
