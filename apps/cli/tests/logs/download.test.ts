import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmulatorOptions } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { hourMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPlatform, type Platform, type PlatformSetting } from '../support/platform.ts'

const zone = '10001'
let folder: string
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

const start = (options: EmulatorOptions = {}, rowsPerSecond = 0.1) =>
  createPlatform({ ...options, traffic: { zones: 1, rowsPerSecond, tieShare: 0.5, hostileShare: 0.1 } })

const download = ({ run }: Platform, options = '', setting?: PlatformSetting) =>
  run(`logs download ${zone} --file ${join(folder, 'day')}${options}`, setting)

const linesOf = async (name = 'day') => (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1)

/** Sorts lines before a comparison, because lines with equal times have no fixed order. */
const sorted = (lines: readonly string[]) => [...lines].sort()

/** Reads the file with plain `fetch`, in one piece. */
async function plainFile({ emulator }: Platform): Promise<string[]> {
  const { fetch, loggingUrl, fixtures, clock } = emulator
  const [year = '', month, day] = clock.now().toISOString().slice(0, 10).split('-')
  const url = new URL(`${month}-${day}-${year.slice(2)}/${zone}.log?sort=asc`, loggingUrl)
  const response = await fetch(url, { headers: { AccessKey: fixtures.credentials.accessKey } })
  return (await response.text()).split('\n').filter(Boolean)
}

test('the file contains the lines of the day, oldest first, and its temporary file is removed', async () => {
  const platform = await start()
  const { code, out } = await download(platform)
  expect(code).toBe(0)
  const lines = await linesOf()
  expect(sorted(lines)).toEqual(sorted(await plainFile(platform)))
  expect(JSON.parse(out)).toMatchObject({
    pullZoneId: 10001,
    day: '2026-06-17',
    lines: lines.length,
    isSorted: true,
  })
  await expect(readFile(join(folder, 'day.part'))).rejects.toThrow('ENOENT')
  // The file holds addresses of visitors.
  expect((await stat(join(folder, 'day'))).mode & 0o777).toBe(0o600)
})

test('if the result cannot be printed, the file is complete, and no advice says that it can be resumed', async () => {
  const platform = await start()
  const onOutput = () => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
  }
  const { code, err } = await download(platform, '', { onOutput })
  expect([code, sorted(await linesOf())]).toEqual([1, sorted(await plainFile(platform))])
  expect(err).not.toContain('day.part')
})

test('--file - prints the lines on standard output', async () => {
  const platform = await start()
  const { code, out, err } = await platform.run(`logs download ${zone} --file -`)
  expect([code, err]).toEqual([0, ''])
  expect(sorted(out.split('\n').slice(0, -1))).toEqual(sorted(await plainFile(platform)))
  await expect(stat('-')).rejects.toThrow('ENOENT')
})

describe('a download that breaks off is resumed, and the file is complete', () => {
  test.each([0.1, 0.5, 0.97])('after a share of %d of the first part', async (share) => {
    const platform = await start({}, 0.1)
    platform.emulator.faults.add({ name: 'cut-body', portion: share, times: 3 })
    const { code, err } = await download(platform)
    expect(code).toBe(0)
    expect(err).toContain('retrying in')
    expect(sorted(await linesOf())).toEqual(sorted(await plainFile(platform)))
  })

  test('and fails after repeated breaks without a new line; the next call resumes', async () => {
    const platform = await start({}, 0.1)
    const { faults, journal } = platform.emulator
    faults.add({ name: 'cut-body', portion: 0.9, times: 1 })
    const sleep = async () => {
      faults.clear()
      faults.add({ name: 'cut-body', portion: 0.001 })
    }
    const failed = await download(platform, '', { sleep })
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('day.part is kept')])
    faults.clear()
    const ended = await download(platform)
    expect([ended.code, ended.err]).toEqual([0, expect.stringContaining('resumed after')])
    expect(sorted(await linesOf())).toEqual(sorted(await plainFile(platform)))
    expect(journal.entries.some(({ path }) => /[?&]start=[1-9]/.test(path))).toBe(true)
  })

  test('from any partial file, even with half a line, after the day has grown and got late rows', {
    timeout: 180_000,
  }, async () => {
    const platform = await start({}, 0.05)
    const before = (await plainFile(platform)).map((line) => `${line}\n`).join('')
    platform.emulator.clock.advance(600_000)
    const early = platform.emulator.clock.now().getTime() - 3 * hourMs
    const [model] = platform.emulator.state.logs.rows(zone)
    if (!model) throw new Error('no row')
    await fc.assert(
      fc.asyncProperty(fc.nat(before.length), fc.boolean(), async (cut, isLate) => {
        // A row that arrives three hours late shifts all lines after it.
        if (isLate) platform.emulator.state.logs.append([{ ...model, timestamp: early, path: `/late/${cut}` }])
        await writeFile(join(folder, 'day.part'), before.slice(0, cut))
        const { code } = await download(platform, ' --overwrite')
        expect(code).toBe(0)
        const lines = await linesOf()
        expect(sorted(lines)).toEqual(sorted(await plainFile(platform)))
        const times = lines.map((line) => Number(line.split('|')[2]))
        expect(times).toEqual([...times].sort((a, b) => a - b))
        platform.emulator.clock.advance(20_000)
      }),
      { numRuns: propertyRuns(12) },
    )
  })

  test('but a file in no order is not resumed, and a note says so', async () => {
    const platform = await start({ variants: { fileOrder: 'unsorted' } }, 0.1)
    platform.emulator.faults.add({ name: 'cut-body', portion: 0.9, times: 2 })
    const { code, out, err } = await download(platform)
    expect(code).toBe(0)
    expect(err).toContain('out of order')
    expect(JSON.parse(out)).toMatchObject({ isSorted: false })
    expect(sorted(await linesOf())).toEqual(sorted(await plainFile(platform)))
  })
})

test('credentials of visitors are hidden unless requested', async () => {
  const platform = await start()
  Object.assign(assertDefined(platform.emulator.state.zones.get(zone)), { extendedLogging: true })
  const model = assertDefined(platform.emulator.state.logs.rows(zone)[0])
  const timestamp = platform.emulator.clock.now().getTime() - 60_000
  platform.emulator.state.logs.append([{ ...model, timestamp, authorizationHeader: 'Bearer canary-of-a-visitor' }])
  await download(platform)
  const hidden = await readFile(join(folder, 'day'), 'utf8')
  expect(hidden).not.toContain('canary')
  expect(hidden).toContain('|[redacted]\n')
  await download(platform, ' --show-secrets --overwrite')
  expect(await readFile(join(folder, 'day'), 'utf8')).toContain('|Bearer canary-of-a-visitor\n')
})

describe('bad input', () => {
  test('a file that exists is not replaced', async () => {
    await writeFile(join(folder, 'day'), 'mine')
    const { code, err } = await download(await start())
    expect([code, err]).toEqual([2, expect.stringContaining('exists')])
    expect(await linesOf()).toEqual([])
    expect(await readFile(join(folder, 'day'), 'utf8')).toBe('mine')
  })

  test('a folder in place of the file', async () => {
    await mkdir(join(folder, 'day'))
    const { code, err } = await download(await start(), ' --overwrite')
    const message = `cdn: ${join(folder, 'day')} cannot be written: a folder of that name exists\n`
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
    // Only the partial file is left, next to the folder.
    expect((await readdir(folder)).sort()).toEqual(['day', 'day.part'])
  })

  test('a partial file with a hard link is refused, and so is a pipe', async () => {
    await writeFile(join(folder, 'victim'), '')
    await link(join(folder, 'victim'), join(folder, 'day.part'))
    const refused = await download(await start())
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('without hard links: remove it')])
    expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('')
    await rm(join(folder, 'day.part'))
    execFileSync('mkfifo', [join(folder, 'day.part')])
    expect((await download(await start())).err).toContain('must be a regular file')
  })

  test('a missing folder', async () => {
    const { run } = await start()
    const { code, err } = await run(`logs download ${zone} --file ${join(folder, 'no', 'day')}`)
    expect([code, err]).toEqual([1, expect.stringContaining('the folder does not exist')])
  })
})
