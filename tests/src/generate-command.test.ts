import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './copy.ts'

test.each([[['--import', 'a.yaml']], [['openapi.yaml']]])(
  '`pnpm generate` takes no options: %j is refused in one sentence, and nothing is generated',
  (args) => {
    const script = join(repository, 'scripts/generate.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([2, '', 'pnpm generate takes no options.\n'])
  },
)
