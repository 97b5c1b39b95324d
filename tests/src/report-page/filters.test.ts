/** The filters narrow both tables, by mouse and by keyboard. */
import { type Report, toHtml } from '@cdn/conformance'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { patienceMs, useBrowser } from './browser.ts'
import { tabTo } from './keyboard.ts'
import { usual } from './reports.ts'

const open = useBrowser()
const html = toHtml(usual)
const all = { requirements: usual.requirements.length, checks: usual.checks.length }

type Row = Pick<Report['checks'][number], 'id' | 'source'> & { readonly basis?: string; readonly outcome?: string }

/** Returns the ids of the visible rows, and the ids of the rows that should be visible. */
async function shownAndWanted(page: Page, wanted: (row: Row) => boolean) {
  const ids = (kind: string) =>
    page
      .locator(`[data-row=${kind}]:visible`)
      .evaluateAll((rows) => rows.map((row) => String(row.querySelector('.id')?.textContent)))
  return {
    shown: [(await ids('requirement')).sort(), (await ids('check')).sort()],
    wanted: [usual.requirements, usual.checks].map((rows) =>
      rows
        .filter(wanted)
        .map(({ id }) => id)
        .sort(),
    ),
  }
}

const fieldset = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

describe('by mouse', () => {
  test.each<[string, [string, string][], (row: Row) => boolean]>([
    ['an outcome', [['Outcome', 'failed']], ({ outcome }) => outcome === 'fail'],
    [
      'two outcomes',
      [
        ['Outcome', 'failed'],
        ['Outcome', 'error'],
      ],
      ({ outcome }) => outcome === 'fail' || outcome === 'error',
    ],
    ['a source', [['Source', 'supplement']], ({ source }) => source === 'supplement'],
    ['a basis', [['Basis', 'spec']], ({ basis }) => basis === 'spec'],
    [
      'all three',
      [
        ['Outcome', 'passed'],
        ['Source', 'spec'],
        ['Basis', 'supplement'],
      ],
      ({ outcome, source, basis }) => outcome === 'pass' && source === 'spec' && basis === 'supplement',
    ],
  ])('%s', async (_, choices, wanted) => {
    const { page } = await open(html)
    for (const [group, label] of choices) await fieldset(page, group).getByText(label).click()
    const rows = await shownAndWanted(page, wanted)
    expect(rows.shown).toEqual(rows.wanted)
    expect(rows.shown.flat().length).toBeGreaterThan(0)
    expect(await page.locator('#filters output').textContent()).toBe(
      `${rows.wanted[0]?.length} of ${all.requirements} requirements, ${rows.wanted[1]?.length} of ${all.checks} checks`,
    )
  })

  test('deselecting an outcome shows all rows again', async () => {
    const { page } = await open(html)
    for (let click = 0; click < 2; click++) await fieldset(page, 'Outcome').getByText('failed').click()
    expect((await shownAndWanted(page, () => true)).shown[1]).toHaveLength(all.checks)
  })

  test('a group without visible rows is hidden with its heading', async () => {
    const { page } = await open(html)
    const before = await page.locator('tr.group:visible').count()
    await page.getByRole('searchbox').fill('watermark')
    const headings = await page.locator('tr.group:visible').allTextContents()
    expect(headings.length).toBeLessThan(before)
    expect(headings.join()).toContain('Stream Video Library')
  })
})

test('text: every word must occur, in any case and order', async () => {
  const { page } = await open(html)
  await page.getByRole('searchbox').fill('  WATERMARK   404 ')
  const texts = await page.locator('[data-row]:visible').allTextContents()
  expect(texts.length).toBeGreaterThan(1)
  for (const text of texts) expect(text.toLowerCase()).toMatch(/watermark[\s\S]*404|404[\s\S]*watermark/)
  await page.getByRole('searchbox').fill('nothing has this in it')
  expect(await page.locator('#filters output').textContent()).toMatch(/^0 of \d+ requirements, 0 of \d+ checks$/)
})

test('by keyboard alone: Tab to an outcome, Space, type a word, Enter, and show all again', async () => {
  const { page } = await open(html)
  const failed = fieldset(page, 'Outcome').getByRole('checkbox', { name: 'failed' })
  await tabTo(page, failed)
  // The checkbox is transparent and lies on top of its label. The label shows the focus.
  expect(await failed.evaluate((box) => getComputedStyle(box.parentElement ?? box).outline)).toMatch(/solid/)
  await page.keyboard.press('Space')
  const one = await shownAndWanted(page, ({ outcome }) => outcome === 'fail')
  expect(one.shown).toEqual(one.wanted)

  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type('query-logs')
  await page.keyboard.press('Enter')
  const both = await shownAndWanted(page, ({ outcome }) => outcome === 'fail')
  expect(both.shown.flat().length).toBeGreaterThan(0)
  expect(both.shown.flat().length).toBeLessThan(both.wanted.flat().length)

  await tabTo(page, page.getByRole('button', { name: 'Show all' }))
  await page.keyboard.press('Enter')
  await expect
    .poll(() => page.locator('#filters output').textContent(), { timeout: patienceMs })
    .toBe(`${all.requirements} of ${all.requirements} requirements, ${all.checks} of ${all.checks} checks`)
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})
