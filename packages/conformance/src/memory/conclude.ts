import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { toJunit } from '../report/junit.ts'
import { markdownReport } from '../report/markdown.ts'
import type { Report } from '../report/model.ts'
import { nightsPage } from '../report/page/nights.ts'
import { toHtml } from '../report/page/page.ts'
import { besideReports, orSay, writeWhole } from '../run/files.ts'
import { type Night, nightOf, readHistory, writeHistory } from './history.ts'
import { storeCases } from './stored-cases.ts'
import { changesOf } from './transitions.ts'

/**
 * Writes `report.json`, `junit.xml`, `summary.md`, `index.html` and `nights.html` into a folder, and adds the run to
 * the history `history.ndjson` next to it. If the folder is missing, it is created. Each file is written atomically, and only its owner can read it. The pages
 * of the last nights stay in the folder `nights` next to the history, and the failed cases in `cases` next to the folder.
 *
 * @param link address of the report for later readers; by default its copy in `nights`
 * @returns the report with what changed since the last night, and the nights with this one as the last
 * @throws SuiteConfigurationError in one sentence if a file cannot be written
 */
export async function writeReports(
  report: Report,
  folder: string,
  link?: string,
): Promise<{ readonly report: Report; readonly nights: readonly Night[] }> {
  const history = besideReports(folder, 'history.ndjson')
  const earlier = await orSay('add the run to', history, () => readHistory(history))
  const pages = join(dirname(history), 'nights')
  const page = join(pages, `${report.target.kind}-${report.startedAt.replaceAll(':', '-')}.html`)
  const night = nightOf(report, link ?? relative(folder, page))
  const nights = [...earlier, night]
  const whole = { ...report, changes: changesOf(nights) }
  const index = toHtml(whole)
  const files = {
    'report.json': jsonReport(whole),
    'junit.xml': toJunit(whole),
    'summary.md': markdownReport(whole),
    'index.html': index,
    'nights.html': nightsPage(nights),
  }
  await orSay('write the reports into', folder, async () => {
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text)
  })
  await orSay('add the run to', history, () => writeHistory(history, earlier, night))
  if (link === undefined) await orSay('keep the report in', pages, () => keepPage(page, index))
  await storeCases(folder, report)
  return { report: whole, nights }
}

const keptPages = 60

async function keepPage(page: string, text: string): Promise<void> {
  const folder = dirname(page)
  await writeWhole(page, text)
  const kind = basename(page).replace(/-.*/, '-')
  const pages = (await readdir(folder)).filter((name) => name.startsWith(kind) && name.endsWith('.html')).sort()
  for (const name of pages.slice(0, -keptPages)) await rm(join(folder, name), { force: true })
}

/**
 * Returns the report as JSON that is valid according to `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, because jq and other tools reject a file with a lone surrogate.
 */
export function jsonReport(report: Report): string {
  const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)
  return `${JSON.stringify(report, wellFormed, 2)}\n`
}
