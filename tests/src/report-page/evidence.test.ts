/** A failed check shows its evidence, and every link to the evidence works. */
import { curlLine, toHtml } from '@cdn/conformance'
import { defined } from '@cdn/kit/defined'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from './browser.ts'
import { tabTo } from './keyboard.ts'
import { usual } from './reports.ts'

const open = useBrowser()
const html = toHtml(usual)
const failed = usual.checks.filter(({ outcome }) => outcome === 'fail')
const second = defined(failed[1] ?? failed[0])
const sentenceOf = (id: string | undefined) =>
  defined(usual.requirements.find((requirement) => requirement.id === id)).text
const anchorOf = (kind: 'check' | 'requirement', id: string) => encodeURIComponent(`${kind}-${id}`)
const failure = (page: Page, id: string) => page.locator(`details.failure[id="check-${id}"]`)

test('the first failed check is open, the others open to requirement, expected, seen, exchange and curl line', async () => {
  const { page } = await open(html)
  expect(await page.locator('details.failure').first().getAttribute('open')).toBe('')
  const check = failure(page, second.id)
  expect(await check.getByText('Seen').isVisible()).toBe(false)
  await check.locator('summary').first().click()
  const { request } = defined(second.evidence?.exchanges[0])
  for (const text of [
    sentenceOf(second.requirements[0]),
    'status 204',
    'status 500',
    '> POST https://management.invalid',
    '< 500',
    curlLine(request),
  ]) {
    expect(await check.getByText(text, { exact: false }).first().isVisible(), text).toBe(true)
  }
  expect(await check.textContent()).toContain('$CDN_ACCESS_KEY')
  await check.locator('summary').first().click()
  expect(await check.getByText('Seen').isVisible()).toBe(false)
})

test.each(['Enter', 'Space'])('by keyboard: Tab to a failed check, %s opens and closes it', async (key) => {
  const { page } = await open(html)
  const check = failure(page, second.id)
  await tabTo(page, check.locator('summary').first())
  await page.keyboard.press(key)
  expect(await check.getByText('Seen').isVisible()).toBe(true)
  // Keyboard users must be able to focus a box that scrolls. Otherwise they cannot read the end of its text.
  await tabTo(page, check.getByRole('group', { name: 'Exchange 1', exact: true }))
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press(key)
  expect(await check.getByText('Seen').isVisible()).toBe(false)
})

test('a deep link opens a failed check and shows it', async () => {
  const { page } = await open(html, { fragment: anchorOf('check', second.id) })
  expect(await failure(page, second.id).getByText('Seen').isVisible()).toBe(true)
  expect(await isInView(page, `check-${second.id}`)).toBe(true)
})

test('a deep link shows a requirement, also one that the filters hide', async () => {
  const { id } = defined(usual.requirements.at(-1))
  const { page } = await open(html, { fragment: anchorOf('requirement', id) })
  expect(await isInView(page, `requirement-${id}`)).toBe(true)
  await page.getByRole('searchbox').fill('nothing has this in it')
  expect(await page.locator(`[id="requirement-${id}"]`).isVisible()).toBe(false)
  await page.locator('details.failure[open] dd a').first().click()
  const shown = decodeURIComponent(new URL(page.url()).hash.slice(1))
  expect(shown).toBe(`requirement-${failed[0]?.requirements[0]}`)
  expect(await isInView(page, shown)).toBe(true)
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})

test('the same link works again after the reader has moved on', async () => {
  const { page } = await open(html)
  const link = page.locator('details.failure[open] dd a').first()
  await link.click()
  await page.getByRole('searchbox').fill('nothing has this in it')
  await link.click()
  expect(await isInView(page, `requirement-${failed[0]?.requirements[0]}`)).toBe(true)
})

test('a link without a target, or with an invalid address, causes no error', async () => {
  for (const fragment of ['check-none', '%E0%A4%A']) {
    const { page, complaints } = await open(html, { fragment })
    expect(await page.locator('#filters output').textContent()).toContain('checks')
    expect(complaints).toEqual([])
  }
})

test('every link of the page has a target', async () => {
  const { page } = await open(html)
  const lost = await page
    .locator('a[href]')
    .evaluateAll((links) =>
      links
        .map((link) => decodeURIComponent(String(link.getAttribute('href')).slice(1)))
        .filter((anchor) => !document.getElementById(anchor)),
    )
  expect(lost).toEqual([])
})

test('the first stop of Tab is the skip link, which is then visible and leads to the results', async () => {
  const { page } = await open(html)
  const skip = page.getByRole('link', { name: 'Skip to the results' })
  expect((await skip.boundingBox())?.x).toBeLessThan(0)
  await page.keyboard.press('Tab')
  expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true)
  expect((await skip.boundingBox())?.x).toBeGreaterThan(0)
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
})

function isInView(page: Page, id: string): Promise<boolean> {
  return page.evaluate((anchor) => {
    const box = document.getElementById(anchor)?.getBoundingClientRect()
    return box !== undefined && box.height > 0 && box.top >= 0 && box.top < innerHeight
  }, id)
}
