/** The page is accessible: in light and dark mode, on a phone, and with a screen reader. */
import { type Report, toHtml } from '@cdn/conformance'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { findings } from './axe.ts'
import { unfold, useBrowser } from './browser.ts'
import { disastrous, flawless, hostile, usual } from './reports.ts'

const open = useBrowser()
const widths = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const reports = {
  'a typical night': usual,
  'a disaster': disastrous,
  'a night without failures': flawless,
  'hostile text': hostile,
}

const looks = Object.entries(reports).map(([name, report]) => ({
  name,
  html: toHtml(shorten(report)),
}))

/** Opens a page with all rows expanded. */
async function openWhole(html: string, viewport: { width: number; height: number }) {
  const { page } = await open(html, { viewport, colorScheme: 'light' })
  for (const name of ['passed', 'failed', 'error']) await page.getByRole('checkbox', { name }).check()
  await unfold(page)
  return page
}

test.each(looks)('$name: axe has no findings, light or dark', async ({ html }) => {
  const page = await openWhole(html, widths.desk)
  await page.evaluate(axe.source)
  expect(await findings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page, ['color-contrast'])).toEqual([])
})

test('axe has no findings on a phone', async () => {
  const page = await openWhole(toHtml(shorten(hostile)), widths.phone)
  await page.evaluate(axe.source)
  expect(await findings(page)).toEqual([])
})

test.each(looks)('$name: nothing scrolls sideways, wide or narrow', async ({ html }) => {
  for (const viewport of Object.values(widths)) {
    const page = await openWhole(html, viewport)
    await page.getByRole('button', { name: 'Show all' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
  }
})

test('light and dark differ', async () => {
  const colors = (['light', 'dark'] as const).map(async (colorScheme) => {
    const { page } = await open(toHtml(usual), { colorScheme })
    return page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  })
  const [light, dark] = await Promise.all(colors)
  expect(light).not.toBe(dark)
})

/** Shortens each table to a few rows that include every kind of row, because axe takes seconds for all rows. */
function shorten(report: Report): Report {
  return { ...report, requirements: report.requirements.slice(0, 8), checks: report.checks.slice(0, 8) }
}
