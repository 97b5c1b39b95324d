import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLine } from '@cdn/api/logs'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { dayMs } from '@cdn/kit/time'
import { expect, onTestFinished, test } from 'vitest'
import { download } from './download.ts'

const from = Date.UTC(2026, 5, 17)
const lines = Array.from({ length: 300 }, (_, n) => {
  const isMalformed = n === 149
  return `HIT|200|${from + n * 10}|1|1|0.0.0.0|-|/${n}|DE|-|-|DE${isMalformed ? '|surplus' : ''}`
})

const plan = {
  range: { from, to: from + dayMs },
  format: String,
  now: () => from + dayMs,
  sleep: async () => {},
  line: { clear: async () => {}, show: async () => {}, note: async () => {} },
}

/** Opens a file as `cdn logs download` does. */
async function openFile() {
  const handle = await open(join(temporaryFolder(onTestFinished), 'part'), 'ax+')
  onTestFinished(() => handle.close())
  return handle
}

/** Downloads `lines`. The first response breaks off after some of them. @returns what was requested, noted and written */
async function resume(cut: number, kind: string) {
  const handle = await openFile()
  const starts: number[] = []
  const notes: string[] = []
  const result = await download({
    ...plan,
    handle,
    line: { ...plan.line, note: async (sentence) => void notes.push(sentence) },
    async *read(start) {
      const end = starts.push(start) === 1 ? cut : lines.length
      for (const text of lines.slice(start, end)) yield [{ text, row: parseLine(text) }]
      if (end === cut) throw Object.assign(new Error('cut'), { name: 'TransportError', kind })
    },
  })
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(100_000), 0, 100_000, 0)
  expect(buffer.toString('utf8', 0, bytesRead)).toBe(lines.map((line) => `${line}\n`).join(''))
  expect(result).toEqual({ lines: lines.length, isSorted: true })
  return { starts, notes }
}

test.each(['body', 'timeout'])('a response that ends with an error of kind %s is resumed', async (kind) => {
  const { notes } = await resume(200, kind)
  expect(notes).toEqual(['cut; retrying in 1 s', expect.stringContaining('resumed after 199 lines')])
})

test('a time-out without any line is final', async () => {
  await expect(resume(0, 'timeout')).rejects.toThrow('cut')
})

test('a download resumes before a malformed line, too', async () => {
  const { starts, notes } = await resume(150, 'body')
  expect(starts).toHaveLength(2)
  expect(notes.at(-1)).toContain('resumed after 149 lines')
})

test('a download fails if another one writes to its file, so that no line is in it twice', async () => {
  const handle = await openFile()
  async function* read() {
    for (const text of lines) {
      yield [{ text, row: parseLine(text) }]
      if (text === lines[100]) await handle.appendFile(`${lines[0]}\n`)
    }
  }
  await expect(download({ ...plan, handle, read })).rejects.toThrow('Another download')
})
