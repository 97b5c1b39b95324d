import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { append, makeFolder, orSay, writeWhole } from '../core/files.ts'
import { toHtml } from './html/page.ts'
import { toJunit } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report, RunSummary } from './model.ts'

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
  const files = {
    'report.json': jsonReport(report),
    'junit.xml': toJunit(report),
    'summary.md': markdownReport(report),
    'index.html': toHtml(report),
  }
  await orSay('write the reports into', folder, async () => {
    await makeFolder(folder)
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text)
  })
  await orSay('add the run to', history, () => appendHistory(history, report))
}

/** Appends a run to the history. A killed run may have left the start of a line, which is ended first. */
async function appendHistory(file: string, report: Report): Promise<void> {
  const { startedAt, durationMs, status, exitCode, target, summary } = report
  const run: RunSummary = { startedAt, durationMs, status, exitCode, target, summary }
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await append(file, `${gap}${JSON.stringify(run)}\n`)
}

/**
 * Returns the report as JSON that is valid according to `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, because jq and other tools reject a file with a lone surrogate. An integer that JSON
 * readers cannot read exactly becomes a string of digits. An undefined observation becomes `null`.
 */
export function jsonReport(report: Report): string {
  const observations = report.observations.map((observation) => ({ ...observation, value: observation.value ?? null }))
  const plain = (value: unknown) => {
    if (typeof value === 'string') return value.toWellFormed()
    return typeof value === 'bigint' ? value.toString() : value
  }
  return `${JSON.stringify({ ...report, observations }, (_, value: unknown) => plain(value), 2)}\n`
}
