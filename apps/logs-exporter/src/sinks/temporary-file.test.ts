import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openTemporaryFile } from './temporary-file.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

test('written bytes can be read back several times, and no file name is left', async () => {
  const file = await openTemporaryFile(folder)
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251))
  for (let at = 0; at < bytes.length; at += 99_999) await file.write(bytes.subarray(at, at + 99_999))
  expect(file.seal()).toMatchObject({ bytes: bytes.length })
  for await (const _ of file.stream()) break // as after a lost connection
  for (let times = 0; times < 2; times++) expect((await buffer(file.stream())).equals(bytes)).toBe(true)
  expect(await readdir(folder)).toEqual([])
  await file.close()
  await file.close()
})

test('a missing folder yields one sentence', async () => {
  await expect(openTemporaryFile(join(folder, 'gone'))).rejects.toMatchObject({
    name: 'SinkError',
    kind: 'transient',
    message: expect.stringMatching(
      /^Segments cannot be collected in the temporary folder .*gone: .*\(ENOENT\)\. Set TMPDIR to another folder/,
    ),
  })
})

test('a full disk yields one sentence, and no file is left', async () => {
  const program = `
    import { openTemporaryFile } from '${new URL('./temporary-file.ts', import.meta.url)}'
    const file = await openTemporaryFile(process.argv[1])
    try { for (;;) await file.write(Buffer.alloc(65536)) } catch (error) { console.log(error.name, error.message) }`
  // A limit on file sizes simulates a full disk. It makes real writes fail.
  const shell = 'ulimit -f 512; exec "$0" --input-type=module -e "$1" "$2"'
  const { stdout } = spawnSync('sh', ['-c', shell, process.execPath, program, folder], { encoding: 'utf8' })
  expect(stdout).toMatch(
    /^SinkError Segments cannot be collected in the temporary folder .*: its limit of file sizes is reached.* \(EFBIG\)/,
  )
  expect(await readdir(folder)).toEqual([])
})
