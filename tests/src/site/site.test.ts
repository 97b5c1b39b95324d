/** The site works from a disk: its links lead somewhere, it loads nothing, and axe has no findings. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import { buildSite } from '@cdn/site'
import { renderMarkdown } from '@cdn/site/markdown'
import { requirementsText } from '@cdn/site/reference'
import axe from 'axe-core'
import { afterAll, expect, test } from 'vitest'
import { findings } from '../report-page/axe.ts'
import { useBrowser } from '../report-page/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'site-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const pages = buildSite(folder)
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

/** One page of each kind; before a release, all. */
const looked = process.env['CDN_RELEASE'] ? pages : ['index.html', 'reference/management.html', 'requirements.html']

const linksIn = (page: string) => [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
const idsIn = (page: string) => [...read(page).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

test('links lead to files and anchors of the site, and ids are unique', () => {
  const links = pages.flatMap((page) => linksIn(page).map((link) => ({ page, link })))
  const internal = links.filter(({ link }) => !/^(?:https?|data|mailto):/.test(link))
  expect(internal.length).toBeGreaterThan(1000)
  const broken = internal.filter(({ page, link }) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), decodeURIComponent(path))
    if (target.startsWith('..') || !existsSync(join(folder, target))) return true
    return anchor !== undefined && !idsIn(target).includes(decodeURIComponent(anchor))
  })
  expect(broken).toEqual([])
  for (const page of pages) expect(idsIn(page).length, page).toBe(new Set(idsIn(page)).size)
})

test('llms.txt lists every page as Markdown', () => {
  const listed = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
  expect(listed.map((path) => (path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html')))).toEqual(pages)
  for (const path of listed) expect(read(path)).toMatch(/^# /m)
})

test('markup in the text of a contract stays text', () => {
  const attack = '<img src=x onerror=alert(1)> <script>alert(1)</script> <a href="javascript:alert(1)">x</a>'
  const requirement = { section: '1', text: attack, source: 'supplement', interface: 'management' } as const
  const contract = { ...contracts.management, requirements: [{ ...requirement, id: 'a.b.c' }] }
  const { markup } = renderMarkdown(requirementsText([contract]), (href) => href)
  expect(markup).toContain('&lt;script>')
  expect(markup).toContain('<a id="a.b.c"></a>')
  expect(markup).not.toMatch(/<(?:script|img|a href="javascript)/)
})

const open = useBrowser()

test.each(looked)('%s: no request, no script, no findings of axe, light or dark, wide or narrow', async (path) => {
  // The navigation fits into the windows, because axe cannot judge what is scrolled away.
  for (const options of [
    { colorScheme: 'light', viewport: { width: 1400, height: 1600 } },
    { colorScheme: 'dark', viewport: { width: 1400, height: 1600 } },
    { colorScheme: 'light', viewport: { width: 390, height: 800 } },
  ] as const) {
    const { page, complaints, requests } = await open(read(path), options)
    expect(complaints).toEqual([])
    expect(requests).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    await page.evaluate(axe.source)
    expect(await findings(page)).toEqual([])
  }
})
