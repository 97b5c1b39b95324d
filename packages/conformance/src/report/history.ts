import { readFile } from 'node:fs/promises'
import { append } from '../core/files.ts'
import { compile, parseOrUndefined } from '../core/read-json.ts'
import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }

/** Summary of a run: one line of `history.ndjson`. */
export type RunSummary = Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'exitCode' | 'target' | 'summary'>

/** Reduces a report to the run's line in the history. */
export function summarizeRun(report: Report): RunSummary {
  const { startedAt, durationMs, status, exitCode, target, summary } = report
  return { startedAt, durationMs, status, exitCode, target, summary }
}

/**
 * Reads the earlier runs, oldest first. A missing file counts as empty. Invalid lines are ignored, such as a
 * truncated line of a run that was killed while it wrote.
 *
 * @throws the file system's error if the file exists but cannot be read
 */
export async function readHistory(file: string): Promise<RunSummary[]> {
  const isRun = compile<RunSummary>({ $ref: '#/$defs/RunSummary', $defs: schema.$defs })
  return (await textOf(file)).split('\n').flatMap((line) => {
    const value = parseOrUndefined(line)
    return isRun(value) ? [value] : []
  })
}

/** Appends a run to the history. If the last line is truncated, first ends it, so that the new line is valid. */
export async function appendHistory(file: string, run: RunSummary): Promise<void> {
  const text = await textOf(file)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await append(file, `${gap}${JSON.stringify(run)}\n`)
}

/**
 * Selects the runs with the same kind of target. For `live`, the URLs must be the same, too. For the mock and the
 * emulator, URLs do not count, because their port differs in each run.
 */
export function runsOf(target: Report['target'], runs: readonly RunSummary[]): RunSummary[] {
  const key = ({ kind, managementUrl, loggingUrl }: Report['target']) =>
    JSON.stringify(kind === 'live' ? [kind, managementUrl, loggingUrl] : [kind])
  return runs.filter((run) => key(run.target) === key(target))
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
