import { dirname, join, resolve } from 'node:path'
import { makeFolder, orSay, writeWhole } from '../core/files.ts'
import { appendHistory, readHistory, runsOf, summarizeRun } from './history.ts'
import { toHtml } from './html/page.ts'
import { jsonReport } from './json.ts'
import { toJunit } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report } from './model.ts'

/**
 * Writes `report.json`, `junit.xml`, `summary.md` and `index.html` into a folder, and adds the run to the history. If the
 * folder is missing, it is created. Each file is written atomically, and only its owner can read it.
 *
 * @param history file with one line per run; by default `history.ndjson` next to the folder
 * @throws ConfigurationError in one sentence if a file cannot be written
 */
export async function writeReports(
  report: Report,
  folder: string,
  history: string = join(dirname(resolve(folder)), 'history.ndjson'),
): Promise<void> {
  const run = summarizeRun(report)
  const runs = await orSay('read the history of the runs from', history, () => readHistory(history))
  const files = {
    'report.json': jsonReport(report),
    'junit.xml': toJunit(report),
    'summary.md': markdownReport(report),
    'index.html': toHtml(report, runsOf(report.target, [...runs, run])),
  }
  await orSay('write the reports into', folder, async () => {
    await makeFolder(folder)
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text)
  })
  await orSay('add the run to', history, () => appendHistory(history, run))
}
