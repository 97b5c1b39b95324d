import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { writeFailure } from '@cdn/kit/system-error'
import { SuiteConfigurationError } from '../core/failure.ts'
import { appendHistory, readHistory, runsOf, summarizeRun } from './history.ts'
import { toHtml } from './html/page.ts'
import { jsonReport } from './json.ts'
import { toJunit } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report } from './model.ts'

/**
 * Writes `report.json`, `junit.xml`, `summary.md` and `index.html` into a folder, and adds the run to the history. If the
 * folder is missing, it is created. Each file is written atomically.
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
    await mkdir(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text)
  })
  await orSay('add the run to', history, () => appendHistory(history, run))
}

async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, text)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** Runs `work`, and turns an error of the file system into a sentence. */
export async function orSay<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new SuiteConfigurationError(
      `Cannot ${doing} ${path}: ${writeFailure(String(cause.code))}. Choose a writable path.`,
      { cause },
    )
  }
}
