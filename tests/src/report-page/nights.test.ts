/** Tests of the page across runs: it is accessible and self-contained, and sixty runs fit on one screen. */
import { runsPage } from '@cdn/conformance'
import { assertDefined } from '@cdn/kit/assert-defined'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { findings } from './axe.ts'
import { unfold, useBrowser } from './browser.ts'
import { sixtyRuns } from './samples.ts'

const open = useBrowser()
const html = runsPage(sixtyRuns)

test('sixty nights fit on one screen, with months and a row per cause; a cause that came back is flaky', async () => {
  const { page, complaints, requests } = await open(html, { viewport: { width: 2000, height: 1000 } })
  const grid = page.locator('.nights')
  expect(await grid.locator('thead a').count()).toBe(60)
  expect(await grid.locator('thead tr').first().locator('th').allTextContents()).toEqual([
    'Sept 2026',
    'Oct 2026',
    'Nov 2026',
  ])
  const rows = await grid.locator('tbody th').allTextContents()
  expect(rows).toHaveLength(5)
  expect(rows[0]).toContain('DELETE /videolibrary/{id}/watermark: a request is answered 500 instead of 204')
  expect(rows.filter((text) => text.includes('flaky'))).toEqual([expect.stringMatching(/^GET .*fixed on .*flaky$/)])
  const box = await grid.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(1000)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(2000)
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] })
})

test('a run that did not start does not count as a run without causes', () => {
  const run = { ...assertDefined(sixtyRuns[0]), causes: [] }
  expect(runsPage([run])).toContain('No run showed a cause.')
  expect(runsPage([{ ...run, status: 'not-started' }])).toContain('No run had a result.')
})

test('each night links to its report', async () => {
  const { page } = await open(html)
  const links = await page.locator('.nights thead a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(links).toEqual(sixtyRuns.map(({ link }) => link))
})

test('axe has no findings, light or dark', async () => {
  // On a narrow page, axe cannot judge the columns that scroll behind the column of the causes.
  const { page } = await open(html, { colorScheme: 'light', viewport: { width: 2000, height: 1000 } })
  await unfold(page)
  await page.evaluate(axe.source)
  expect(await findings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page, ['color-contrast'])).toEqual([])
})
