/** The page is self-contained: it loads nothing, sends nothing, and runs only its own script. */
import { toHtml } from '@cdn/conformance'
import { expect, test } from 'vitest'
import { patienceMs, unfold, useBrowser } from './browser.ts'
import { disastrous, flawless, hostile, usual } from './reports.ts'

const open = useBrowser()

test.each([
  ['a typical night', usual],
  ['a disaster', disastrous],
  ['a night without failures', flawless],
  ['hostile text everywhere', hostile],
])('%s: no error in the console, no request, no script except its own', async (_, report) => {
  const { page, complaints, requests } = await open(toHtml(report))
  expect(await page.locator('#filters output').textContent()).toContain(`${report.checks.length} checks`)
  await unfold(page)
  await page.getByRole('searchbox').fill('a')
  await page.getByRole('searchbox').press('Enter')
  expect(complaints).toEqual([])
  expect(requests).toEqual([])
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
})

test('hostile text stays text, and its links stay in the page', async () => {
  const { page, complaints } = await open(toHtml(hostile))
  const address = page.url()
  expect(await page.locator('h1').textContent()).toContain('does not conform')
  expect(await page.locator('.facts').textContent()).toContain('<script>window.ran = true</script>')
  expect(await page.locator('img, svg, base, iframe, object, script + script').count()).toBe(0)
  await unfold(page)
  const clicked = await page.locator('a[href]').evaluateAll((links: HTMLElement[]) => links.map((link) => link.click()))
  expect(clicked.length).toBeGreaterThan(40)
  expect(page.url().split('#')[0]).toBe(address)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(complaints).toEqual([])
})

test('the policy of the page would block text that became markup', async () => {
  const smuggled = `<script>window.ran = true</script><img src="https://evil.invalid/x.png" onerror="window.ran = true">
    <svg onload="window.ran = true"></svg><a id="trap" href="javascript:window.ran=true">trap</a>
    <link rel="stylesheet" href="https://evil.invalid/x.css"><style>main { display: none }</style>
    <iframe src="https://evil.invalid/"></iframe><form action="https://evil.invalid/"><button id="send">send</button></form>`
  const { page, complaints, requests } = await open(toHtml(usual).replace('<main', `${smuggled}<main`))
  await page.locator('#trap, #send').evaluateAll((baits: HTMLElement[]) => baits.map((bait) => bait.click()))
  await expect
    .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length, { timeout: patienceMs })
    .toBeGreaterThan(6)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(requests).toEqual([])
  expect(await page.locator('main').isVisible()).toBe(true)
})
