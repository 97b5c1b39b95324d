import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, writeWhole } from './own-file.ts'
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
