/** Commands and links of README and docs work. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repository } from '../copy.ts'
import { anchorsOf, blocksOf, linksOf } from './markdown.ts'
import { pages, runElsewhere } from './pages.ts'
import { runPage } from './run-page.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const read = (page: string) => readFileSync(join(repository, page), 'utf8')

describe('commands and snippets', () => {
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
})

describe('links', () => {
  const links = pages().flatMap((page) => linksOf(read(page)).map((link) => ({ page, ...link })))

  test('lead to existing files and headings', () => {
    expect(links.length).toBeGreaterThan(30)
    const broken = links.filter(({ page, target }) => {
      if (/^https?:/.test(target)) return false
      const [path, anchor] = target.split('#')
      const file = path ? normalize(join(dirname(page), decodeURIComponent(path))) : page
      if (!existsSync(join(repository, file))) return true
      return anchor !== undefined && !anchorsOf(read(file)).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('the test detects a broken link', () => {
    const page = 'See [a](b.md#c) and `[no](link)`.\n```\n[no](link)\n```\n![x](y.png)\n# A *b* `c`, d!\n'
    expect(linksOf(page).map(({ target }) => target)).toEqual(['b.md#c', 'y.png'])
    expect(anchorsOf(page)).toEqual(['a-b-c-d'])
  })
})

test('blocks are parsed with the options of their comments', () => {
  const page = 'a\n<!-- file: x.ts, run -->\n```ts\none\n```\n\n````text\n```sh\nno block\n```\n````\n```sh\ntwo\n```\n'
  expect(blocksOf(page)).toEqual([
    { language: 'ts', text: 'one\n', line: 3, wishes: { file: 'x.ts, run' } },
    { language: 'text', text: '```sh\nno block\n```\n', line: 7, wishes: {} },
    { language: 'sh', text: 'two\n', line: 12, wishes: {} },
  ])
})
