import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, readPrivateFile, risksOf, writeWhole } from './private-file.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const folder = temporaryFolder()

test('a file is written whole, for its owner, and replaces a link without following it', async () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'old')
  mkdirSync(join(folder, 'own'))
  symlinkSync(victim, join(folder, 'own/file'))
  const umask = process.umask(0o277)
  try {
    await writeWhole(join(folder, 'own/file'), 'new')
  } finally {
    process.umask(umask)
  }
  expect([readFileSync(victim, 'utf8'), readFileSync(join(folder, 'own/file'), 'utf8')]).toEqual(['old', 'new'])
  expect(statSync(join(folder, 'own/file')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'own'))).toEqual(['file'])
})

test('missing folders are created with their mode; a failure leaves nothing behind', async () => {
  await writeWhole(join(folder, 'a/b/c'), '', 0o700)
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
  mkdirSync(join(folder, 'a/d/e'), { recursive: true })
  await expect(writeWhole(join(folder, 'a/d'), '')).rejects.toMatchObject({ code: expect.any(String) })
  expect(readdirSync(join(folder, 'a')).sort()).toEqual(['b', 'd'])
  await expect(writeWhole(join(folder, 'victim/x'), '')).rejects.toMatchObject({ code: 'EEXIST' })
  expect(() => makeFolder('/proc/x/y')).toThrow()
})

test('a regular file is read; a missing file is undefined; a link, a folder and a pipe are refused at once', () => {
  const own = join(folder, 'read')
  mkdirSync(own)
  writeFileSync(join(own, 'file'), 'text', { mode: 0o600 })
  symlinkSync(join(own, 'file'), join(own, 'link'))
  execFileSync('mkfifo', [join(own, 'pipe')])
  const risks: string[] = []
  expect(readPrivateFile(join(own, 'file'), (risk) => risks.push(risk))).toBe('text')
  expect(readPrivateFile(join(own, 'none'))).toBeUndefined()
  expect(() => readPrivateFile(join(own, 'link'))).toThrow('it is a symbolic link')
  for (const path of [own, join(own, 'pipe')]) expect(() => readPrivateFile(path)).toThrow('it is not a regular file')
  chmodSync(join(own, 'file'), 0o640)
  readPrivateFile(join(own, 'file'), (risk) => risks.push(risk))
  expect(risks).toEqual([expect.stringMatching(/^Others can read the keys in /)])
})

test('files and folders of others, or that others can write, are reported', () => {
  const [own, folder] = [
    { uid: 1000, mode: 0o100600 },
    { uid: 1000, mode: 0o40755 },
  ]
  const risks = (file: object, parent: object = {}) =>
    risksOf('/c/profiles.json', { ...own, ...file }, { ...folder, ...parent }, 1000)
  expect(risks({})).toEqual([])
  expect(risks({ uid: 0 }, { uid: 0 })).toEqual([])
  expect(risks({ mode: 0o100640 })).toEqual([
    "Others can read the keys in /c/profiles.json. Run: chmod 600 '/c/profiles.json'",
  ])
  expect(risks({ uid: 1234 })).toEqual(['/c/profiles.json belongs to another user, who can read and change it.'])
  const replaceable = ["Others can replace /c/profiles.json. Make its folder your own, and run: chmod 700 '/c'"]
  expect(risks({}, { uid: 1234 })).toEqual(replaceable)
  expect(risks({}, { mode: 0o40777 })).toEqual(replaceable)
  expect(risks({}, { mode: 0o40775 })).toEqual(replaceable)
})
