/** Commands of README and docs work. `site.test.ts` follows their links. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository } from '../copy.ts'
import { blocksOf } from './markdown.ts'
import { pages, runElsewhere } from './pages.ts'
import { runPage } from './run-page.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const read = (page: string) => readFileSync(join(repository, page), 'utf8')

let sandbox: Sandbox
beforeAll(() => {
  sandbox = createSandbox()
})
afterAll(() => sandbox.close())

const runnable = pages().filter((page) => !runElsewhere[page] && blocksOf(read(page)).length > 0)

test.each(runnable)('the commands of %s work', { timeout: 300_000 }, async (page) => {
  expect(await runPage(page, sandbox)).toEqual([])
})

test('pages with their own tests exist, and so do the tests', () => {
  for (const [page, file] of Object.entries(runElsewhere)) {
    expect(existsSync(join(repository, page)), page).toBe(true)
    expect(existsSync(join(repository, file)), file).toBe(true)
  }
})

test('every named script exists', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const known = new Set([...Object.keys(scripts), 'exec', 'X', 'changeset', 'pack', 'add', 'install', '--filter'])
  const named = pages().flatMap((page) =>
    [...read(page).matchAll(/`pnpm (?:-s )?([\w:-]+)/g)].map(([, script]) => ({ page, script: defined(script) })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ script }) => !known.has(script))).toEqual([])
})
