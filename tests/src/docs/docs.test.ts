/** The commands of the pages work, and their links lead to files and headings. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import GithubSlugger from 'github-slugger'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository } from '../copy-repository.ts'
import { blocksOf } from './markdown.ts'
import { runPage } from './run-page.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** Pages that another test runs, each with that test. */
const pagesWithOwnTest: Readonly<Record<string, string>> = {
  'packages/api/README.md': 'packages/api/tests/readme.test.ts',
  'packages/emulator/README.md': 'packages/emulator/src/readme.test.ts',
  'apps/cli/README.md': 'apps/cli/tests/examples.test.ts',
  'docs/cli.md': 'apps/cli/tests/examples.test.ts',
  'docs/new-area.md': 'tests/src/new-area/new-area.test.ts',
}
const patterns = ['*.md', '{docs,specs,.changeset,bench,apps,deploy}/*.md', '{packages,apps}/*/README.md']
const pages = globSync(patterns, { cwd: repository }).sort()
const read = (page: string) => readFileSync(join(repository, page), 'utf8')

let sandbox: Sandbox
beforeAll(() => {
  sandbox = createSandbox()
})
afterAll(() => sandbox.close())

const runnable = pages.filter((page) => !pagesWithOwnTest[page] && blocksOf(read(page)).length > 0)

test.each(runnable)('the commands of %s work', { timeout: 300_000 }, async (page) => {
  expect(await runPage(page, sandbox)).toEqual([])
})

test('pages with their own tests exist, and so do the tests', () => {
  for (const [page, file] of Object.entries(pagesWithOwnTest)) {
    expect(existsSync(join(repository, page)), page).toBe(true)
    expect(existsSync(join(repository, file)), file).toBe(true)
  }
})

test('a README names the oldest Node that its package supports', () => {
  for (const page of ['README.md', ...globSync('{packages,apps}/*/README.md', { cwd: repository })]) {
    const { engines } = JSON.parse(read(join(dirname(page), 'package.json')))
    expect(read(page), page).toContain(`Node ${engines.node.replace('>=', '')} `)
  }
})

const anchorsOf = (page: string) => {
  const slugger = new GithubSlugger()
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugger.slug(heading.replace(/[`*]/g, '')))
}

test('links lead to files and headings of the repository', () => {
  const links = globSync([...patterns, 'docs/decisions/*.md'], { cwd: repository }).flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)/g)].map(([, path = '', anchor = '']) => ({
      page,
      target: path === '' ? page : join(dirname(page), path),
      anchor,
    })),
  )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(repository, target)) || (anchor !== '' && !anchorsOf(target).includes(anchor)),
  )
  expect(broken).toEqual([])
})

test('the reference of both interfaces is built, and loads no other file', () => {
  execFileSync(process.execPath, ['scripts/docs.mjs'], { cwd: repository })
  for (const { interface: name, operations } of Object.values(contracts)) {
    const page = read(`dist/site/${name}.html`)
    expect(page).not.toMatch(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?!data:)/)
    for (const { summary } of operations) expect(page).toContain(summary)
  }
})

test('every script that a page names exists', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const known = new Set([...Object.keys(scripts), 'exec', 'X', 'changeset', 'pack', 'add', 'install', '--filter'])
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`pnpm (?:-s )?([\w:-]+)/g)].map(([, script]) => ({ page, script: assertDefined(script) })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ script }) => !known.has(script))).toEqual([])
})
