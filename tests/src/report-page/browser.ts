import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { launchBrowser } from '../chromium.ts'

/** Maximum time for a step of the browser, in ms. The browser is slow while other tests run. */
export const stepTimeoutMs = 120_000

/** An open page, with the errors and requests that it must not cause. */
export interface OpenPage {
  readonly page: Page
  /** Errors and warnings of the console, including violations of the content security policy, and uncaught errors. */
  readonly complaints: string[]
  /** Requests to addresses other than the page's own. They get no response. */
  readonly requests: string[]
}

export interface OpenOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'javaScriptEnabled'> {
  /** The part of the address after `#`, encoded as in a link. */
  readonly fragment?: string
}

/**
 * Starts one browser for the tests of a file.
 *
 * @returns a function that opens a report from disk, as a reader does; the page closes after the test
 */
export function useBrowser(): (html: string, options?: OpenOptions) => Promise<OpenPage> {
  let browser: Awaited<ReturnType<typeof launchBrowser>>
  const folder = temporaryFolder()
  beforeAll(async () => {
    browser = await launchBrowser()
  }, 180_000)
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
  })
  return async (html, { fragment, ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(stepTimeoutMs)
    const file = join(folder, 'index.html')
    await writeFile(file, html)
    const address = pathToFileURL(file).href
    const requests: string[] = []
    await context.route('**', (route) => {
      const url = route.request().url()
      if (url.split('#')[0] === address) return route.continue()
      requests.push(url)
      return route.abort()
    })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(fragment === undefined ? address : `${address}#${fragment}`)
    return { page, complaints, requests }
  }
}

/** Expands everything that is collapsed. */
export async function unfold(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => all.map((one) => one.setAttribute('open', '')))
}
