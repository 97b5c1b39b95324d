import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './copy.ts'

test.each([[['--imp', 'x']], [['--import']], [['--import', 'a.yaml', 'b.yaml']], [['openapi.yaml']]])(
  '`pnpm generate` knows one option: %j is a sentence, and nothing is done',
  (args) => {
    const script = join(repository, 'scripts/generate.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([
      2,
      '',
      'pnpm generate knows one option, --import FILE, with an OpenAPI file.\n',
    ])
  },
)
