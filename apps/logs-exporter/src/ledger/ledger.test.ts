import { execFile, execFileSync } from 'node:child_process'
import { mkdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { LedgerError } from '../errors.ts'
import { openDeadLetters } from './dead-letters.ts'
import { type WindowState, withinTime } from './ledger.ts'
import { openLedger } from './open-ledger.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

const state = (from: number, to: number, more: Partial<WindowState> = {}): WindowState => ({
  zone: '1',
  from,
  to,
  rows: 3,
  nextRevision: 1,
  checkedAt: to,
  recheckDue: to + 10,
  ...more,
})
const gap = (from: number, to: number) => ({ zone: '1', from, to, reason: 'gone', noticedAt: 9 })

describe('the ledger', () => {
  test('tracks the position of a zone over adjacent windows and gaps, also after a restart', async () => {
    const ledger = openLedger(folder)
    expect(await ledger.position('1')).toBeUndefined()
    await ledger.record(state(20, 30))
    expect(await ledger.position('1')).toBeUndefined()
    await ledger.begin('1', 0)
    expect(await ledger.position('1')).toBe(0)
    await ledger.record(state(0, 10))
    expect(await ledger.position('1')).toBe(10)
    await ledger.recordGap(gap(10, 20))
    expect(await ledger.position('1')).toBe(30)
    await ledger.close()
    const again = openLedger(folder)
    expect(await again.position('1')).toBe(30)
    expect(await again.windows('1', 5, 21)).toEqual([state(0, 10), state(20, 30)])
    expect(await again.windows('1', 10, Number.POSITIVE_INFINITY)).toEqual([state(20, 30)])
    await again.close()
  })

  test('merges adjacent gaps', async () => {
    const ledger = openLedger(folder)
    for (const [from, to] of [
      [0, 10],
      [30, 40],
      [10, 20],
      [15, 18],
    ] as const)
      await ledger.recordGap(gap(from, to))
    expect(await ledger.gaps('1')).toEqual([gap(0, 20), gap(30, 40)])
    await ledger.close()
  })

  test('lists due rechecks, oldest first, and forgets old windows', async () => {
    const ledger = openLedger(folder)
    await ledger.begin('1', 0)
    await ledger.record(state(10, 20, { rows: undefined, recheckDue: 25 }))
    await ledger.record(state(0, 10, { recheckDue: 50 }))
    await ledger.record(state(20, 30, { recheckDue: undefined }))
    expect(await ledger.nextRecheck('1')).toBe(25)
    expect(await ledger.nextRecheck('2')).toBeUndefined()
    expect((await ledger.due('1', 50, 9)).map(({ from }) => from)).toEqual([0, 10])
    expect((await ledger.due('1', 50, 1)).map(({ from }) => from)).toEqual([0])
    expect(await ledger.due('1', 24, 9)).toEqual([])
    await ledger.forget('1', 11)
    expect((await ledger.windows('1', 0, 99)).map(({ from }) => from)).toEqual([10, 20])
    expect(await ledger.position('1')).toBe(30)
    await ledger.close()
  })

  test('rounds fractional times so that a recheck is never due too early', async () => {
    const ledger = openLedger(folder)
    await ledger.begin('1', 0)
    await ledger.record(state(0, 10, { checkedAt: 12.7, recheckDue: 20.2 }))
    await ledger.recordGap({ ...gap(10, 20), noticedAt: 21.9 })
    expect(await ledger.windows('1', 0, 10)).toEqual([state(0, 10, { checkedAt: 12, recheckDue: 21 })])
    expect(await ledger.gaps('1')).toEqual([{ ...gap(10, 20), noticedAt: 21 }])
    await ledger.close()
  })

  test('records nothing beyond the latest time that the platform has shown', async () => {
    let shown = Number.NEGATIVE_INFINITY
    const open = openLedger(folder)
    const ledger = withinTime(open, { shownTime: () => shown })
    const changes = [
      () => ledger.begin('1', 10),
      () => ledger.record(state(0, 10)),
      () => ledger.recordGap(gap(10, 10)),
    ]
    for (shown of [Number.NEGATIVE_INFINITY, 9])
      for (const change of changes) await expect(change()).rejects.toThrow(LedgerError)
    const content = [await ledger.position('1'), await ledger.windows('1', 0, 99), await ledger.gaps('1')]
    expect(content).toEqual([undefined, [], []])
    shown = 10
    for (const change of changes) await change()
    expect(await ledger.position('1')).toBe(10)
    await open.close()
  })

  test('reports damage, or a path that is not a folder, in one sentence', async () => {
    await writeFile(join(folder, 'ledger.sqlite'), 'no database'.repeat(100))
    expect(() => openLedger(folder)).toThrow(/cannot be used .*move it away: the exporter rebuilds it from the sink\.$/)
    expect(() => openLedger(join(folder, 'ledger.sqlite'))).toThrow(/^The folder .* of the ledger cannot be created/)
  })
})

describe('the dead letters', () => {
  test('are stored one per line, readable by the owner only', async () => {
    const rejects = openDeadLetters(folder)
    await rejects.add('zone=1', [{ text: 'a\nb', reason: 'no JSON' }])
    await rejects.add('zone=1', [{ text: 'c', reason: 'no JSON' }])
    const file = join(folder, 'rejects', 'zone=1.ndjson')
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(['a\nb', 'c'])
    expect((await stat(file)).mode & 0o077).toBe(0)
  })

  test('links in the folder are not followed, and pipes are not waited for', async () => {
    const victim = join(folder, 'victim')
    await writeFile(victim, '')
    await mkdir(join(folder, 'rejects'))
    await symlink(victim, join(folder, 'rejects', 'zone=1.ndjson'))
    const added = openDeadLetters(folder).add('zone=1', [{ text: 'a', reason: 'b' }])
    await expect(added).rejects.toThrow(/zone=1\.ndjson is a symbolic link, which the exporter does not follow\.$/)
    execFileSync('mkfifo', [join(folder, 'rejects', 'zone=2.ndjson')])
    await expect(openDeadLetters(folder).add('zone=2', [{ text: 'a', reason: 'b' }])).rejects.toThrow(
      /zone=2\.ndjson: ENXIO/,
    )
    for (const name of ['lock', 'ledger.sqlite']) {
      await symlink(victim, join(folder, name))
      expect(() => openLedger(folder)).toThrow(/is a symbolic link, which the exporter does not follow\.$/)
      await unlink(join(folder, name))
    }
    expect(await readFile(victim, 'utf8')).toBe('')
  })

  test('a write that the disk accepts only in part fails, and the next rows have their own lines', async () => {
    const source = new URL('dead-letters.ts', import.meta.url).href
    const program = `const { openDeadLetters } = await import(${JSON.stringify(source)})
      const rejects = openDeadLetters(${JSON.stringify(folder)})
      await rejects.add('zone=1', [{ text: 'a', reason: 'r' }])
      console.log(await rejects.add('zone=1', [{ text: 'b'.repeat(9_000), reason: 'r' }]).then(() => 'stored', String))
      await rejects.add('zone=1', [{ text: 'c', reason: 'r' }])`
    // The limit of the shell's file sizes, in blocks of at most 1 KiB, stands for a full disk.
    const limited = ['-c', 'ulimit -f 4 && exec "$0" --input-type=module -e "$1"', process.execPath, program]
    const { stdout } = await promisify(execFile)('sh', limited)
    expect(stdout).toMatch(/^LedgerError: Dead letters cannot be stored in .*rejects.zone=1\.ndjson: .*\.\n$/)
    const lines = (await readFile(join(folder, 'rejects', 'zone=1.ndjson'), 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(['a', 'c'])
  })
})
