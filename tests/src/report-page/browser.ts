import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import packed from '../../node_modules/@sparticuz/chromium/package.json' with { type: 'json' }

/** A page that was opened, and what it did that a report must not do. */
export interface Opened {
  readonly page: Page
  /** Errors and warnings of the console, among them what the content security policy refused, and uncaught errors. */
  readonly complaints: string[]
  /** Addresses other than the page's own that it asked for. They are never answered. */
  readonly requests: string[]
}

export interface OpenOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'javaScriptEnabled'> {
  /** The part of the address behind `#`, as it stands in a link. */
  readonly fragment?: string
}

/**
 * Starts one browser for the tests of a file.
 *
 * @returns opens a report from disk, as its reader does; the page closes after the test
 */
export function useBrowser(): (html: string, options?: OpenOptions) => Promise<Opened> {
  // A browser is slow where other tests run beside it.
  vi.setConfig({ testTimeout: 30_000 })
  let browser: Awaited<ReturnType<typeof launchBrowser>>
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-page-'))
    browser = await launchBrowser()
  }, 60_000)
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })
  return async (html, { fragment, ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
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

/** Opens everything that folds away. */
export async function unfold(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => all.map((one) => one.setAttribute('open', '')))
}

/** Starts the Chromium of the npm registry, without any of the flags by which it is weakened to fit into a function. */
export async function launchBrowser() {
  return chromium.launch({ executablePath: await unpackChromium() })
}

/**
 * Unpacks the browser where that is still to do. Test files start at the same time and may be killed, so the file
 * appears whole or not at all.
 */
async function unpackChromium(): Promise<string> {
  const file = join(tmpdir(), `chromium-${packed.version}-${process.getuid?.() ?? ''}`)
  if (existsSync(file)) return file
  const folder = await mkdtemp(join(tmpdir(), 'chromium-'))
  const unpacked = join(folder, basename(file))
  const archive = fileURLToPath(new URL('../bin/chromium.br', import.meta.resolve('@sparticuz/chromium')))
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(unpacked, { mode: 0o700 }))
  await rename(unpacked, file)
  await rm(folder, { recursive: true })
  return file
}
