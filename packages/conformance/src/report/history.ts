import { appendFile, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }

/** A run in short: one line of `history.ndjson`. */
export type RunSummary = Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'exitCode' | 'target' | 'summary'>

/** The line that a run leaves in the history. */
export function summarizeRun(report: Report): RunSummary {
  const { startedAt, durationMs, status, exitCode, target, summary } = report
  return { startedAt, durationMs, status, exitCode, target, summary }
}

/**
 * The earlier runs, oldest first. No file means no runs; a line that is no run, such as the last one of a run that was
 * killed while it wrote, is left out.
 *
 * @throws the file system's error where the file is there but cannot be read
 */
export async function readHistory(file: string): Promise<RunSummary[]> {
  const isRun = new Ajv2020().addSchema(schema).compile<RunSummary>({ $ref: `${schema.$id}#/$defs/RunSummary` })
  return (await textOf(file)).split('\n').flatMap((line) => {
    const value = parse(line)
    return isRun(value) ? [value] : []
  })
}

/** Appends a run to the history; a last line that was cut is closed first, so that this one stays whole. */
export async function appendHistory(file: string, run: RunSummary): Promise<void> {
  const text = await textOf(file)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${gap}${JSON.stringify(run)}\n`)
}

/**
 * The runs of one target: of the same kind, and on `live` with the same URLs. The mock and the emulator listen on
 * another port each time.
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

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
