import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SinkError } from '../../errors.ts'
import { ndjson } from '../../formats/ndjson.ts'
import type { Lines } from '../../rows/encoder.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { type Disk, disk } from './disk.ts'
import { type FilesSinkOptions, openFilesSink } from './index.ts'

const { signal } = new AbortController()
const from = Date.parse('2026-06-17T14:30:00Z')
const window: Window = { zone: '1', from, to: from + 300_000 }
const name = 'zone=1/date=2026-06-17/hour=14/20260617T143000Z-20260617T143500Z.r0'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = (options: Partial<FilesSinkOptions> = {}) =>
  openFilesSink({ path: folder, format: ndjson('zstd'), ...options })

function lines(...ids: string[]): Lines {
  const text = ids.map((id) => `{"timestamp":"2026-06-17T14:30:00.000Z","requestId":"${id}","source":"v2"}\n`)
  return { bytes: Buffer.from(text.join('')), rows: ids.length, replaced: 0, rejects: [] }
}

async function write(sink: ReturnType<typeof open>, revision: number, ...ids: string[]) {
  const writer = await sink.begin({ ...window, revision }, signal)
  try {
    await writer.write(lines(...ids))
    return await writer.publish()
  } catch (error) {
    await writer.discard()
    throw error
  }
}

async function listed(sink: ReturnType<typeof open>): Promise<Segment[]> {
  const list: Segment[] = []
  for await (const segment of sink.segments({ zone: '1', from: 0, to: Number.POSITIVE_INFINITY }, signal))
    list.push(segment)
  return list
}

async function visible(): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

describe('a segment', () => {
  test.each(['none', 'gzip', 'zstd'] as const)('can be listed and read back: %s', async (compression) => {
    const sink = open({ format: ndjson(compression) })
    const published = await write(sink, 0, 'a', 'b')
    expect(published).toMatchObject({
      outcome: 'published',
      segment: { ...window, revision: 0, rows: 2 },
    })
    expect(await listed(sink)).toEqual([published.segment])
    const pieces: Uint8Array[] = []
    for await (const piece of sink.read(published.segment, signal)) pieces.push(piece)
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(lines('a', 'b').bytes))
    expect((await readFile(join(folder, name + ndjson(compression).extension))).length).toBe(published.segment.bytes)
    const zones: string[] = []
    for await (const zone of sink.zones(signal)) zones.push(zone)
    expect(zones).toEqual(['1'])
  })

  test('is immutable: publishing the same content succeeds, other content loses, in any format', async () => {
    const [zstd, plain] = [open(), open({ format: ndjson('none') })]
    const first = await write(zstd, 0, 'a')
    expect(await write(zstd, 0, 'a')).toEqual(first)
    expect(await write(plain, 0, 'a')).toEqual(first)
    expect(await write(zstd, 0, 'b')).toEqual({ ...first, outcome: 'conflict' })
    expect(await write(plain, 0, 'b')).toEqual({ ...first, outcome: 'conflict' })
    await write(plain, 1, 'b')
    expect((await listed(zstd)).map(({ revision, rows }) => [revision, rows])).toEqual([
      [0, 1],
      [1, 1],
    ])
    expect(await visible()).toEqual([`${name}.ndjson.zst`, `${name.replace('r0', 'r1')}.ndjson`])
  })

  test('leaves no file if it is discarded, or not published before the lease ends', async () => {
    const sink = open()
    const writer = await sink.begin({ ...window, revision: 0 }, signal)
    await writer.write(lines('a'))
    await writer.discard()
    expect(await visible()).toEqual([])
    const lease = new AbortController()
    const late = await sink.begin({ ...window, revision: 0 }, lease.signal)
    await late.write(lines('a'))
    lease.abort(new Error('the lease has ended'))
    await expect(late.publish()).rejects.toThrow('the lease has ended')
    await late.discard()
    expect(await visible()).toEqual([])
  })

  test('is damaged after a change; a file with another name is odd; both are reported, and the others are listed', async () => {
    const sink = open()
    const { segment } = await write(sink, 0, 'a')
    await write(sink, 1, 'b')
    await writeFile(join(folder, `${name}.ndjson.zst`), 'broken')
    await writeFile(join(folder, `${name}.ndjson.zst.copy`), '')
    const errors: SinkError[] = []
    const revisions: number[] = []
    const range = { zone: '1', from: 0, to: from + 1 }
    for await (const { revision } of sink.segments(range, signal, (error) => void errors.push(error)))
      revisions.push(revision)
    expect(revisions).toEqual([1])
    expect(errors.map(({ kind }) => kind)).toEqual(['damaged', 'damaged'])
    await expect(listed(sink)).rejects.toMatchObject({ name: 'SinkError', kind: 'damaged' })
    await expect(sink.read(segment, signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'damaged' })
  })

  test('is damaged if it is uncompressed and does not begin with JSON', async () => {
    const sink = open({ format: ndjson('none') })
    await write(sink, 0, 'a')
    await writeFile(join(folder, `${name}.ndjson`), '{"broken\n')
    await expect(listed(sink)).rejects.toMatchObject({ name: 'SinkError', kind: 'damaged' })
  })
})

test.skipIf(process.platform === 'win32')(
  'only the owner can read a segment, unless the mode says otherwise',
  async () => {
    const modeOf = async (revision: number) =>
      (await stat(join(folder, `${name.replace('r0', `r${revision}`)}.ndjson.zst`))).mode & 0o777
    await write(open(), 0, 'a')
    await write(open({ mode: 0o640 }), 1, 'b')
    expect([await modeOf(0), await modeOf(1)]).toEqual([0o600, 0o640])
  },
)

test('segments can be written after a clean-up job has removed empty folders', async () => {
  const sink = open()
  await sink.check(signal)
  await write(sink, 0, 'a')
  await rm(join(folder, '.tmp'), { recursive: true })
  await rm(join(folder, 'zone=1'), { recursive: true })
  await write(sink, 0, 'b')
  const writer = await sink.begin({ ...window, revision: 1 }, signal)
  await writer.write(lines('c'))
  await rm(join(folder, 'zone=1'), { recursive: true })
  expect(await writer.publish()).toMatchObject({ outcome: 'published' })
  await rm(join(folder, '.tmp'), { recursive: true })
  await sink.check(signal)
  expect((await listed(sink)).map(({ revision }) => revision)).toEqual([1])
  await rm(join(folder, 'zone=1'), { recursive: true })
  const later = await sink.begin({ ...window, from: from + 3_600_000, to: from + 3_900_000, revision: 0 }, signal)
  await later.write(lines('d'))
  expect(await later.publish()).toMatchObject({ outcome: 'published' })
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
    const error = await write(open({ disk: full, format: ndjson('none') }), 0, 'a').catch((cause: unknown) => cause)
    expect(error).toMatchObject({ name: 'SinkError', kind: 'transient' })
    expect(String(error)).toContain(`${folder} of the files sink cannot be used: its disk is full`)
    expect((await visible()).filter((path) => !path.startsWith('.tmp/'))).toEqual([])
    expect(await write(open(), 0, 'a')).toMatchObject({ outcome: 'published' })
  })

  test.each([
    ['EROFS', 'read-only'],
    ['EACCES', 'may not write to it'],
    ['ENOTSUP', 'hard links'],
  ])('with %s fails the check', async (code, why) => {
    const refusing = failing(code, (fail) => (code === 'ENOTSUP' ? { link: fail } : { create: fail }))
    await expect(open({ disk: refusing }).check(signal)).rejects.toThrow(why)
    await expect(open({ disk: refusing }).check(signal)).rejects.toMatchObject({ kind: 'permanent' })
  })

  test('is swept of crash leftovers after an hour; a check leaves no file', async () => {
    const old = { ...disk, changedAt: async () => Date.now() - 2 * 3_600_000 }
    await open().check(signal)
    await writeFile(join(folder, '.tmp', 'left.tmp'), 'x')
    await open().check(signal)
    expect(await visible()).toEqual(['.tmp/left.tmp'])
    await open({ disk: old }).check(signal)
    expect(await visible()).toEqual([])
  })
})
