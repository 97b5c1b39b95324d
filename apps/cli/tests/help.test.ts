import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from './cli.ts'

test('docs/cli.md is what `cdn help --all` prints (`pnpm generate` writes it)', async () => {
  const { code, out } = await runCli(['help', '--all'])
  expect(code).toBe(0)
  expect(out).toBe(await readFile(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8'))
})

// The help of `cdn` itself, which names every area, is at the top of docs/cli.md.
test.each([
  'pull-zone',
  'pull-zone add-allowed-referrer',
  'stream-video-library delete-watermark',
  'api',
  'auth login',
])('help of: cdn %s', async (command) => {
  const words = command.split(' ').filter(Boolean)
  const { code, out, err } = await runCli([...words, '--help'])
  expect([code, err]).toEqual([0, ''])
  await expect(out).toMatchFileSnapshot(`snapshots/help-${words.join('-')}.txt`)
  expect(await runCli(['help', ...words])).toEqual({ code, out, err })
})

test('lines of the help keep within the terminal', async () => {
  const { out } = await runCli(['pull-zone', 'add-allowed-referrer', '--help'], { columns: 60 })
  const prose = out.split('\n').filter((line) => !line.includes('cdn '))
  expect(Math.max(...prose.map(({ length }) => length))).toBeLessThanOrEqual(60)
})

test.each([
  [[], 0, 'out'],
  [['--help'], 0, 'out'],
  [['pull-zone'], 2, 'err'],
  [['pull-zone', '-h'], 0, 'out'],
] as const)('the help of a group goes where it was asked for: %j', async (words, code, stream) => {
  const run = await runCli(words)
  expect(run.code).toBe(code)
  expect(run[stream]).toContain('Commands:')
})

test.each([
  ['--nope', 'There is no option --nope of cdn without a command. See cdn --help.'],
  ['auth --key=CANARY', 'There is no option --key of cdn auth without a command.'],
  ['help nope', 'There is no command "nope" in cdn.'],
])('cdn %s', async (line, message) => {
  const { code, err } = await runCli(line.split(' '))
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
  expect(err).not.toContain('CANARY')
})
