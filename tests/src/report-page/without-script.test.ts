/** Without scripts, the whole content is readable. Only interactive parts are missing. */
import { toHtml } from '@cdn/conformance'
import { expect, test } from 'vitest'
import { useBrowser } from './browser.ts'
import { usual } from './reports.ts'

const open = useBrowser()

test('without JavaScript the content is there, sections expand, and the filters are hidden', async () => {
  const { page, complaints, requests } = await open(toHtml(usual), { javaScriptEnabled: false })
  expect(await page.locator('h1').isVisible()).toBe(true)
  expect(await page.locator('#filters').isVisible()).toBe(false)
  expect(await page.locator('[data-row=requirement]:visible').count()).toBe(usual.requirements.length)
  expect(await page.locator('[data-row=check]:visible').count()).toBe(usual.checks.length)
  const failures = page.locator('details.failure')
  expect(await failures.first().getByText('Expected', { exact: true }).isVisible()).toBe(true)
  await failures.nth(1).locator('summary').first().click()
  expect(await failures.nth(1).getByText('Expected', { exact: true }).isVisible()).toBe(true)
  expect(complaints).toEqual([])
  expect(requests).toEqual([])
})

test('without JavaScript a link still leads to its row', async () => {
  const { page } = await open(toHtml(usual), { javaScriptEnabled: false })
  await page.locator('a.cell').last().click()
  const target = page.locator(':target')
  expect(await target.count()).toBe(1)
  expect((await target.boundingBox())?.y).toBeLessThan(900)
})
