import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readInputFile } from './input-file.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const folder = temporaryFolder()
const codeOf = (path: string) => readInputFile(path).then(String, (error) => error.code)

test('a file is read, also behind a link', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, Buffer.from([1, 0, 255]))
  symlinkSync(file, join(folder, 'link'))
  for (const name of ['file', 'link']) expect([...(await readInputFile(join(folder, name)))]).toEqual([1, 0, 255])
})

test('a missing file, a folder and a device are refused with a reason', async () => {
  mkdirSync(join(folder, 'folder'))
  expect(await codeOf(join(folder, 'none'))).toBe('ENOENT')
  expect(await codeOf(join(folder, 'folder'))).toBe('EISDIR')
  if (process.platform !== 'win32') expect(await codeOf('/dev/zero')).toBe('it is a device')
})

test.skipIf(process.platform === 'win32')(
  'a pipe is read to its end; SIGINT ends the wait for its writer',
  async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const source = new URL('./input-file.ts', import.meta.url).href
    const program = `const { readInputFile } = await import('${source}'); console.log('ready'); console.log(String(await readInputFile(process.argv[1])))`
    const command = `exec "$0" --input-type=module --eval "$1" <(echo a; echo b)`
    expect(execFileSync('bash', ['-c', command, process.execPath, program], { encoding: 'utf8' })).toBe(
      'ready\na\nb\n\n',
    )
    for (const from of ['<(exec sleep 300)', pipe]) {
      const read = command.replace('<(echo a; echo b)', from)
      const waiting = spawn('bash', ['-c', read, process.execPath, program], { detached: true })
      await once(waiting.stdout, 'data')
      process.kill(-Number(waiting.pid), 'SIGINT')
      const [code, signal] = await once(waiting, 'exit')
      expect([code, signal, await text(waiting.stderr)]).toEqual([null, 'SIGINT', ''])
    }
  },
)
