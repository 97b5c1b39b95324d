/** Creates the pictures of the pages in `docs/images`: `node src/report-page/screenshots.ts` in `tests/`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runsPage, toHtml } from '@cdn/conformance'
import { launchBrowser } from '../chromium.ts'
import { flawless, outage, sixtyRuns, usual } from './samples.ts'

const images = join(import.meta.dirname, '../../../docs/images')
/** Maximum size of a picture in bytes, because every clone of the repository contains the pictures. */
const maxBytes = 200_000

const earlier = sixtyRuns.slice(0, -1)
const pictures = {
  report: { html: toHtml(usual, sixtyRuns), width: 1120, height: 900 },
  'report-outage': {
    html: toHtml(outage, [...earlier, { ...sixtyRuns[34], at: outage.startedAt } as (typeof earlier)[number]]),
    width: 1120,
    height: 520,
  },
  'report-green': { html: toHtml(flawless, sixtyRuns.slice(0, 50)), width: 1120, height: 700 },
  nights: { html: runsPage(sixtyRuns), width: 1880, height: 560 },
}

const folder = await mkdtemp(join(tmpdir(), 'pictures-'))
const browser = await launchBrowser()
try {
  for (const [name, { html, width, height }] of Object.entries(pictures)) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' })
    await writeFile(join(folder, 'page.html'), html)
    await page.goto(`file://${join(folder, 'page.html')}`)
    const { length } = await page.screenshot({ path: join(images, `${name}.png`) })
    if (length > maxBytes) throw new Error(`${name}.png has ${length} bytes, more than ${maxBytes}`)
  }
} finally {
  await browser.close()
  await rm(folder, { recursive: true })
}
