/** Runs the tests in Python, Go and PHP that docs/emulator.md shows, as users would run them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { repository } from '../copy.ts'
import { blocksOf } from '../docs/markdown.ts'

const blocks = blocksOf(readFileSync(join(repository, 'docs/emulator.md'), 'utf8'))
const emulator = `${process.execPath} ${join(repository, 'packages/emulator/src/bin.ts')}`

test.for([
  {
    language: 'python',
    program: 'python3',
    version: '--version',
    file: 'platform_test.py',
    args: [],
    passed: /\nOK\n/,
  },
  {
    language: 'go',
    program: 'go',
    version: 'version',
    file: 'platform_test.go',
    args: ['test'],
    passed: /^ok\s/,
    // Compiles Go's own library first, which takes more processor time than any other test.
    isSlow: true,
  },
  { language: 'php', program: 'php', version: '--version', file: 'platform-test.php', args: [], passed: /^OK\n/ },
])('$language', ({ language, program, version, file, args, passed, isSlow }, { skip }) => {
  if (isSlow && process.env['CDN_RELEASE'] !== '1') skip('runs only with CDN_RELEASE=1')
  if (spawnSync(program, [version]).error) skip(`${program} is not installed`)
  const [block, ...others] = blocks.filter((found) => found.language === language)
  expect(others).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'language-'))
  try {
    writeFileSync(join(folder, file), defined(block).text)
    const env = { ...process.env, CDN_EMULATOR: emulator, GOCACHE: join(folder, 'cache'), GO111MODULE: 'auto' }
    const { status, stdout, stderr } = spawnSync(program, [...args, file], { cwd: folder, env, encoding: 'utf8' })
    expect(status, stdout + stderr).toBe(0)
    expect(stdout + stderr).toMatch(passed)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
