import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNotes } from './notes.ts'

let folder: string
let file: string
let notices: string[]
const open = () => openNotes(file, (sentence) => notices.push(sentence))
const valid = { at: Date.now() - 1_000, value: { rows: 3 } }
const old = { at: Date.now() - 5 * 86_400_000, value: { rows: 4 } }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-'))
  file = join(folder, 'notes.json')
  notices = []
})
afterEach(() => rm(folder, { recursive: true }))

test('a run reads the notes of earlier runs, never its own', async () => {
  const notes = open()
  notes.add('rows', 1)
  expect(notes.recall('rows')).toEqual([])
  await notes.save()
  expect(open().recall('rows')).toEqual([{ at: expect.any(Number), value: 1 }])
  expect(notices).toEqual([])
})

test('notes that are older than the logs leave the file', async () => {
  await writeFile(file, JSON.stringify({ rows: [old, valid], gone: [old] }))
  const notes = open()
  expect(notes.recall('rows')).toEqual([old, valid])
  notes.add('rows', 1)
  await notes.save()
  expect(open().recall('rows')).toEqual([valid, { at: expect.any(Number), value: 1 }])
  expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('gone')
})

test.each([
  ['1 invalid note is', { rows: [valid, { at: 'yesterday', value: 1 }] }],
  ['3 invalid notes are', { rows: [null, valid, { value: 1 }], other: 'text' }],
])('%s left out alone', async (what, content) => {
  await writeFile(file, JSON.stringify(content))
  const notes = open()
  expect(notes.recall('rows')).toEqual([valid])
  expect(notes.recall('other')).toEqual([])
  expect(notices).toEqual([`${file}: ${what} left out; the others count.`])
  notes.add('new', 2)
  await notes.save()
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    rows: [valid],
    new: [{ at: expect.any(Number), value: 2 }],
  })
})

test('a damaged file counts as empty', async () => {
  await writeFile(file, '{"rows": [')
  expect(open().recall('rows')).toEqual([])
  expect(notices).toEqual([`${file}: invalid JSON, so the file counts as empty.`])
})
