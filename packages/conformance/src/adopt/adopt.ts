import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { toBaseline } from '../baseline/baseline.ts'
import { ConfigurationError } from '../failure.ts'
import type { Report } from '../report/model.ts'
import schema from '../report/report.schema.json' with { type: 'json' }
import { actionsOf } from './actions.ts'
import type { AdoptOptions } from './options.ts'

/** Where a run leaves its reports unless told otherwise; the mock is no platform to learn from. */
const usualFolders = ['reports/live', 'reports/emulator']

/**
 * Writes what a run observed where the document says nothing: as overlays of the document, one an interface, or as a
 * baseline for later runs. What is adopted stays an observation: nothing applies these overlays by itself.
 *
 * @returns the files that were written
 * @throws ConfigurationError where there is no report, or nothing in it to adopt
 */
export async function adopt({ from, out, baseline }: AdoptOptions): Promise<string[]> {
  const { folder, report } = from === undefined ? await newest() : { folder: from, report: await readReport(from) }
  if (report.target.kind === 'mock')
    throw new ConfigurationError('The mock makes up what it answers; adopt another run.')
  if (baseline !== undefined) {
    await mkdir(dirname(baseline), { recursive: true })
    await writeFile(baseline, `${JSON.stringify(toBaseline(report), null, 2)}\n`)
    return [baseline]
  }
  const source = `observed ${report.target.kind} ${report.startedAt.slice(0, 10)}`
  const written: string[] = []
  for (const name of ['management', 'logging'] as const) {
    const actions = actionsOf(name, report.observations)
    if (actions.length === 0) continue
    const overlay = {
      overlay: '1.0.0',
      info: { title: `${name} interface, observed`, version: '1.0.0' },
      actions: actions.map(({ target, update }) => ({ target, 'x-source': source, update })),
    }
    const file = join(out ?? folder, name, 'observed.overlay.yaml')
    await mkdir(dirname(file), { recursive: true })
    // JSON is YAML, too.
    await writeFile(file, `# Seen on a target, said by nobody.\n${JSON.stringify(overlay, null, 2)}\n`)
    written.push(file)
  }
  if (written.length === 0) throw new ConfigurationError(`${folder}: the run observed nothing that could be adopted.`)
  return written
}

async function newest(): Promise<{ folder: string; report: Report }> {
  const found: { folder: string; report: Report }[] = []
  for (const folder of usualFolders) {
    const report = await readReport(folder).catch(() => undefined)
    if (report) found.push({ folder, report })
  }
  const [first] = found.toSorted((a, b) => (a.report.startedAt < b.report.startedAt ? 1 : -1))
  if (!first)
    throw new ConfigurationError(
      `There is no report in ${usualFolders.join(' or ')}; run the suite first, or name --from.`,
    )
  return first
}

async function readReport(folder: string): Promise<Report> {
  const file = join(folder, 'report.json')
  const isReport = new Ajv2020().compile<Report>(schema)
  let report: unknown
  try {
    report = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new ConfigurationError(`${file}: the report cannot be read; run the suite first, or name another --from.`)
  }
  if (!isReport(report)) throw new ConfigurationError(`${file} is no report of this suite.`)
  return report
}
