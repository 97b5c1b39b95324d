import type { Locator, Page } from 'playwright-core'

/** More stops than any page of the tests has before what is looked for. */
const maxStops = 300

/**
 * Presses Tab until an element has the focus.
 *
 * @throws Error where Tab does not lead there
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const element = await target.elementHandle()
  for (let stop = 0; stop < maxStops; stop++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate((one) => document.activeElement === one, element)) return
  }
  throw new Error(`Tab does not lead to ${target}`)
}
