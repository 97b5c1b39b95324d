/** The page across nights: accessible, self-contained, and one screen for sixty nights. */
import { type Night, nightsPage } from '@cdn/conformance'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { findings } from './axe.ts'
import { unfold, useBrowser } from './browser.ts'
import { sixtyNights } from './sixty-nights.ts'

const open = useBrowser()
const html = nightsPage(sixtyNights)
const hostileText = '</title></a><script>window.ran = true</script><img src=x onerror="window.ran = true">'

test('sixty nights fit on one screen, next to the names of the requirements', async () => {
  const { page, complaints, requests } = await open(html, { viewport: { width: 1600, height: 1000 } })
  expect(sixtyNights).toHaveLength(60)
  const grid = page.locator('.nights').first()
  expect(await grid.locator('thead a').count()).toBe(60)
  expect(await grid.locator('tbody tr').count()).toBeGreaterThan(30)
  const box = await grid.boundingBox()
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1600)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(1000)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1600)
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] })
})

test('each night links to its report', async () => {
  const { page } = await open(html)
  const links = await page
    .locator('.nights')
    .first()
    .locator('thead a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(links).toEqual(sixtyNights.map(({ link }) => link))
})

test('axe has no findings, light or dark', async () => {
  const { page } = await open(html, { colorScheme: 'light' })
  await unfold(page)
  await page.evaluate(axe.source)
  expect(await findings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page, ['color-contrast'])).toEqual([])
})

test('hostile text of the history stays text, and hostile links are left out', async () => {
  const hostile = sixtyNights.slice(-2).map(
    (night): Night => ({
      ...night,
      ...{ target: hostileText, link: 'javascript:window.ran=true' },
      requirements: { [hostileText]: 'f' },
    }),
  )
  const { page, complaints, requests } = await open(nightsPage(hostile))
  expect(await page.locator('h1').textContent()).toContain('<script>')
  expect(await page.locator('script, img, thead a').count()).toBe(0)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] })
})
