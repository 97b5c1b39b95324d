import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal, readJournal } from './journal.ts'

const accessKey = 'canary-key'
const step = {
  text: 'remove a',
  method: 'POST',
  url: 'https://management.invalid/a',
  headers: { 'Content-Type': 'application/json' },
}

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
  file = join(folder, 'run.ndjson')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('added steps that are not done are pending, in order, with bodies of text and of bytes', async () => {
  const journal = openJournal(file, accessKey)
  const bytes = new Uint8Array([0, 137, 255, 10])
  const first = await journal.add('check', { ...step, body: '{"Hostname":"a"}' })
  await journal.add('check', { ...step, text: 'restore', body: bytes })
  await journal.add('other', { ...step, text: 'delete' })
  await journal.done(first)
  const { pending } = await readJournal(file, accessKey)
  expect(pending.map(({ check, step: { text, body } }) => [check, text, body])).toEqual([
    ['check', 'restore', bytes],
    ['other', 'delete', undefined],
  ])
})

test('a step is in the file when add resolves, and only the owner can read the file', async () => {
  await openJournal(file, accessKey).add('check', step)
  expect(readFileSync(file, 'utf8')).toContain('remove a')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a truncated last line is ignored; a missing file has no steps', async () => {
  expect(await readJournal(file, accessKey)).toEqual({ pending: [], invalid: [] })
  await openJournal(file, accessKey).add('check', step)
  appendFileSync(file, '{"add":"k","check":"c","te')
  expect((await readJournal(file, accessKey)).pending).toHaveLength(1)
})

test('a step belongs to the run if it was stored with the same key and has not changed since', async () => {
  await openJournal(file, accessKey).add('check', { ...step, body: '{"Hostname":"a"}' })
  const isOwn = async (key: string) => (await readJournal(file, key)).pending.map((pending) => pending.isOwn)
  expect([await isOwn(accessKey), await isOwn('other'), await isOwn('')]).toEqual([[true], [false], [false]])
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain(accessKey)
  const { signature, ...signed } = JSON.parse(text)
  for (const [name, value] of Object.entries(signed)) {
    const changed = name === 'headers' ? { 'Content-Type': 'text/plain' } : `${value}b`
    writeFileSync(file, JSON.stringify({ ...signed, [name]: changed, signature }))
    expect([name, await isOwn(accessKey)]).toEqual([name, [false]])
  }
})
