import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from './support/platform.ts'

const line = ['pull-zone', 'get', '2001']

test('the output on a terminal goes through the pager', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cdn-pager-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'shown')
  const { run } = await createPlatform()
  const direct = await run(line, { columns: 80 })
  expect(direct.out).toMatch(/^Id +2001\n/)
  expect(await run(line, { columns: 80, env: { PAGER: `cat > ${file}` } })).toEqual({ code: 0, out: '', err: '' })
  expect(await readFile(file, 'utf8')).toBe(direct.out)
  const env = { PAGER: 'exit 9', CDN_PAGER: `cat > ${file}.own` }
  expect((await run(line, { columns: 80, env })).code).toBe(0)
  expect(await readFile(`${file}.own`, 'utf8')).toBe(direct.out)
})

test('a pager that cannot be started is an error, not silence', async () => {
  const { run } = await createPlatform()
  const pager = 'no-such-pager 2>/dev/null'
  expect(await run(line, { columns: 80, env: { PAGER: pager } })).toEqual({
    code: 1,
    out: '',
    err: `cdn: The pager "${pager}" cannot be started: set CDN_PAGER or PAGER to an installed command\n`,
  })
})

test('a pager that is left or killed early ends the command', async () => {
  const { run } = await createPlatform()
  for (const pager of ['true', 'kill -9 $$', 'head -c 3 >/dev/null; kill -9 $$']) {
    expect(await run(line, { columns: 80, env: { PAGER: pager } }), pager).toEqual({ code: 0, out: '', err: '' })
  }
})
