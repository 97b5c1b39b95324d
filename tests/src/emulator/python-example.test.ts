/** Runs the test in Python that docs/emulator.md shows, as a user would run it. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { shellQuote } from '@cdn/kit/shell'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { repository } from '../copy-repository.ts'
import { blocksOf } from '../docs/markdown.ts'

test('the Python test of docs/emulator.md passes', ({ skip }) => {
  if (spawnSync('python3', ['--version']).error) skip('python3 is not installed')
  const blocks = blocksOf(readFileSync(join(repository, 'docs/emulator.md'), 'utf8'))
  const [block, ...others] = blocks.filter(({ language }) => language === 'python')
  expect(others).toEqual([])
  const folder = temporaryFolder(onTestFinished)
  writeFileSync(join(folder, 'platform_test.py'), assertDefined(block).text)
  const emulator = [process.execPath, join(repository, 'packages/emulator/src/bin.ts')].map(shellQuote).join(' ')
  const env = { ...process.env, CDN_EMULATOR: emulator }
  const options = { cwd: folder, env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('python3', ['platform_test.py'], options)
  expect(status, stdout + stderr).toBe(0)
  expect(stdout + stderr).toMatch(/\nOK\n/)
})
