import type { Locator, Page } from 'playwright-core'

/** Maximum number of Tab stops before the target. */
const maxStops = 300

/**
 * Presses Tab until an element has the focus.
 *
 * @throws Error if Tab does not reach it
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const element = await target.elementHandle()
  for (let stop = 0; stop < maxStops; stop++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate((one) => document.activeElement === one, element)) return
  }
  throw new Error(`Tab does not reach ${target}`)
}
