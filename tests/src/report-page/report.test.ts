/** The page of a report, in a browser: what it shows at once, that it is accessible, self-contained and safe, and that its parts work. */
import { toHtml } from '@cdn/conformance'
import axe from 'axe-core'
import { describe, expect, test } from 'vitest'
import { findings } from './axe.ts'
import { stepTimeoutMs, unfold, useBrowser } from './browser.ts'
import { disastrous, flawless, hostile, outage, sixtyRuns, usual } from './samples.ts'

const open = useBrowser()
const reports = { usual, disastrous, outage, flawless, hostile }
const pages = Object.entries(reports).map(([name, report]) => ({ name, html: toHtml(report, sixtyRuns) }))

describe.each(pages)('$name', ({ name, html }) => {
  test('axe has no findings, light or dark, and nothing scrolls sideways at three widths', async () => {
    const { page } = await open(html, { colorScheme: 'light' })
    await unfold(page)
    // Axe takes seconds for all sentences. The first five of each list contain every kind of sentence.
    await page.locator('.sentences li:nth-child(n+6)').evaluateAll((all) => all.map((one) => one.remove()))
    await page.evaluate(axe.source)
    expect(await findings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await findings(page, ['color-contrast'])).toEqual([])
    for (const width of [1280, 768, 400]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
  })

  test('loads nothing, sends nothing, and runs only its own script', async () => {
    const { page, complaints, requests } = await open(html)
    await unfold(page)
    const address = page.url().split('#')[0]
    await page
      .locator('a[href^="#"]')
      .evaluateAll((links: HTMLElement[]) => links.slice(0, 200).map((link) => link.click()))
    expect(page.url().split('#')[0]).toBe(address)
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] })
    expect(await page.evaluate(() => 'ran' in window)).toBe(false)
    expect(await page.locator('img, base, iframe, object, script + script').count()).toBe(0)
    if (name === 'hostile')
      expect(await page.locator('.run').textContent()).toContain('<script>window.ran = true</script>')
  })
})

test('the result, its counts and the first cause are on the first screen, and agree', async () => {
  const { page } = await open(toHtml(usual, sixtyRuns))
  expect(await page.locator('h1').textContent()).toContain(
    'The live platform does not conform: 2 causes break 3 of 65 sentences.',
  )
  const facts = (await page.locator('.facts').textContent()) ?? ''
  expect(facts).toContain('3 broken')
  expect(await page.locator('.cause').count()).toBe(2)
  const first = page.locator('.cause').first()
  for (const part of [
    'DELETE',
    '/videolibrary/{id}/watermark',
    'A request is answered 500 instead of 204',
    'Success is answered 204',
    'status 204',
  ])
    expect(await first.textContent()).toContain(part)
  const box = await first.locator('.pair').boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(900)
  const links = await page.getByRole('navigation').getByRole('link').allTextContents()
  expect(links).toEqual(['Causes', 'Requirements', 'Undecided', 'Open points', 'This run'])
})

test.each([1280, 768, 400])(
  'a night with thirty failed checks is at most 6,000 px high at a width of %d',
  async (width) => {
    expect(disastrous.checks.filter(({ outcome }) => outcome === 'fail')).toHaveLength(30)
    expect(disastrous.causes.length).toBeGreaterThan(20)
    const { page } = await open(toHtml(disastrous, sixtyRuns), { viewport: { width, height: 900 } })
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(6_000)
  },
)

test('a night without a result says why', async () => {
  const { page } = await open(toHtml(outage, sixtyRuns))
  expect(await page.locator('h1').textContent()).toContain('No check ran: The management interface cannot be reached')
})

test('the text for the vendor and the command can be copied', async () => {
  const { page } = await open(toHtml(usual))
  await page.getByRole('button', { name: 'Copy for the vendor' }).first().click()
  await expect.poll(() => page.locator('.act output').first().textContent(), { timeout: stepTimeoutMs }).toBe('Copied.')
  await page.getByRole('button', { name: 'Copy curl' }).first().click()
  const shown = page.locator('#vendor-1')
  expect(await shown.textContent()).toContain('request id 8f3c51d0')
  expect(await page.locator('#curl-1').textContent()).toContain('curl --include --request DELETE')
})

test('a link opens its sentence', async () => {
  const { page } = await open(toHtml(usual))
  await page.locator('.cause blockquote a').first().click()
  const target = page.locator('[id="requirement-management.delete-watermark.204"]')
  await expect.poll(() => target.isVisible(), { timeout: stepTimeoutMs }).toBe(true)
})

test('an address with a fragment opens its cause', async () => {
  const last = disastrous.causes.at(-1)?.id ?? ''
  const { page } = await open(toHtml(disastrous), { fragment: `cause-${encodeURIComponent(last)}` })
  expect(await page.locator(`[id="cause-${last}"]`).getAttribute('open')).toBe('')
})

test('without JavaScript, the content is visible, sections expand, and buttons are hidden', async () => {
  const { page, complaints } = await open(toHtml(usual), { javaScriptEnabled: false })
  expect(await page.locator('h1').isVisible()).toBe(true)
  expect(await page.getByRole('button').count()).toBe(0)
  await page.getByText('Request and response').first().click()
  expect(await page.locator('.cause pre:visible').first().textContent()).toContain('> DELETE https://api.example')
  expect(complaints).toEqual([])
})

test('Tab reaches each cause, and Enter opens it', async () => {
  const { page } = await open(toHtml(disastrous))
  const third = page.locator('.cause').nth(2)
  for (let stop = 0; stop < 60; stop++) {
    await page.keyboard.press('Tab')
    if (await third.locator('> summary').evaluate((one) => document.activeElement === one)) break
  }
  await page.keyboard.press('Enter')
  expect(await third.getAttribute('open')).toBe('')
})

test('the policy of the page would block text that became markup', async () => {
  const smuggled = `<script>window.ran = true</script><img src="https://evil.invalid/x.png" onerror="window.ran = true">
    <svg onload="window.ran = true"></svg><a id="trap" href="javascript:window.ran=true">trap</a>
    <link rel="stylesheet" href="https://evil.invalid/x.css"><style>main { display: none }</style>
    <iframe src="https://evil.invalid/"></iframe><form action="https://evil.invalid/"><button id="send">send</button></form>`
  const { page, complaints, requests } = await open(toHtml(usual).replace('<main', `${smuggled}<main`))
  await page.locator('#trap, #send').evaluateAll((baits: HTMLElement[]) => baits.map((bait) => bait.click()))
  await expect
    .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length, {
      timeout: stepTimeoutMs,
    })
    .toBeGreaterThan(6)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(requests).toEqual([])
  expect(await page.locator('main').isVisible()).toBe(true)
})
