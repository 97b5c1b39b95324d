/**
 * Creates `docs/images/nights.png` from sixty scripted nights, and prints the size of the page and how long a browser needs to open
 * it. Run `node src/report-page/nights-screenshot.ts` in `tests/`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nightsPage } from '@cdn/conformance'
import { launchBrowser } from '../chromium.ts'
import { sixtyNights } from './sixty-nights.ts'

const folder = await mkdtemp(join(tmpdir(), 'nights-'))
const file = join(folder, 'nights.html')
const html = nightsPage(sixtyNights)
await writeFile(file, html)
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, colorScheme: 'light' })
await page.goto(pathToFileURL(file).href, { waitUntil: 'load' })
const openMs = await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.duration)
await page.screenshot({ path: join(import.meta.dirname, '../../../docs/images/nights.png') })
await browser.close()
await rm(folder, { recursive: true })
console.log(`${html.length} characters, opened in ${Math.round(openMs ?? Number.NaN)} ms`)
