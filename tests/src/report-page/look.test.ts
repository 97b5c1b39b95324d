/** Every reader can read it: light and dark, on a phone, with a screen reader's eyes. */
import { type Report, toHtml } from '@cdn/conformance'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { unfold, useBrowser } from './browser.ts'
import { disastrous, flawless, history, hostile, usual } from './reports.ts'

const open = useBrowser()
const widths = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const reports = {
  'a usual night': usual,
  'a disaster': disastrous,
  'a flawless night': flawless,
  'hostile text': hostile,
}

const looks = Object.entries(reports).flatMap(([name, report]) =>
  Object.entries(widths).map(([width, viewport]) => ({
    name,
    width,
    viewport,
    html: toHtml(shorten(report), history.slice(-6)),
  })),
)

test.each(looks)(
  '$name, $width: axe finds nothing, light or dark, and nothing scrolls sideways',
  async ({ viewport, html }) => {
    const { page } = await open(html, { viewport, colorScheme: 'light' })
    for (const name of ['passed', 'failed', 'error']) await page.getByRole('checkbox', { name }).check()
    await unfold(page)
    await page.evaluate(axe.source)
    expect(await findings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await findings(page, ['color-contrast'])).toEqual([])
    await page.getByRole('button', { name: 'Show all' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
  },
)

test('light and dark are two', async () => {
  const colors = (['light', 'dark'] as const).map(async (colorScheme) => {
    const { page } = await open(toHtml(usual), { colorScheme })
    return page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  })
  const [light, dark] = await Promise.all(colors)
  expect(light).not.toBe(dark)
})

const excused = ['nonBmp', 'elmPartiallyObscuring']

/** So many rows of each table that every kind of row is among them; axe takes seconds for all. */
function shorten(report: Report): Report {
  return { ...report, requirements: report.requirements.slice(0, 8), checks: report.checks.slice(0, 8) }
}

/**
 * What axe says is wrong, and where it cannot tell the contrast: rule and element. It can neither for a mark that is a
 * symbol, which has the colour of the word beside it, nor where a text winds around the one before it on the same line.
 */
async function findings(page: Page, rules?: string[]): Promise<string[]> {
  const { violations, incomplete, passes } = await page.evaluate(
    (only) => (globalThis as unknown as { axe: typeof axe }).axe.run(only ? { runOnly: only } : {}),
    rules,
  )
  expect(passes.map(({ id }) => id)).toContain('color-contrast')
  const unsure = incomplete.filter(({ id }) => id === 'color-contrast')
  return [...violations, ...unsure].flatMap(({ id, nodes }) =>
    nodes
      .filter(({ any }) => !any.some(({ data }) => excused.includes(data?.messageKey)))
      .map(({ target, failureSummary }) => `${id}: ${target.join(' ').slice(-80)} ${failureSummary ?? ''}`),
  )
}
