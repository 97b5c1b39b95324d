import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SuiteConfigurationError } from '../../core/failure.ts'
import { compile } from '../../core/read-json.ts'
import { toBaseline } from '../../expectations/baseline.ts'
import type { Report } from '../../report/model.ts'
import schema from '../../report/report.schema.json' with { type: 'json' }
import { orSay } from '../../report/write.ts'
import { actionsOf } from './actions.ts'
import type { AdoptOptions } from './options.ts'

/** Default folders of reports. The mock's folder is not included, because the mock invents its answers. */
const defaultFolders = ['reports/live', 'reports/emulator']

/**
 * Writes what a run observed at unspecified points: one overlay per interface, or a baseline for later runs. Adopted
 * behaviour stays an observation, because nothing applies these overlays automatically.
 *
 * @returns the files that were written
 * @throws ConfigurationError if no report exists, if the report has nothing to adopt, or if a file cannot be written
 */
export async function toOverlay({ from, out, baseline }: AdoptOptions): Promise<string[]> {
  const { folder, report } = from === undefined ? await newest() : { folder: from, report: await readReport(from) }
  if (report.target.kind === 'mock')
    throw new SuiteConfigurationError('The mock makes up its answers; adopt a run against another target.')
  if (baseline !== undefined) {
    await write(baseline, `${JSON.stringify(toBaseline(report), null, 2)}\n`)
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
    // JSON is YAML, too.
    await write(file, `# Observed on a target; no source states it.\n${JSON.stringify(overlay, null, 2)}\n`)
    written.push(file)
  }
  if (written.length === 0)
    throw new SuiteConfigurationError(`${folder}: the run observed nothing that could be adopted.`)
  return written
}

async function write(file: string, text: string): Promise<void> {
  await orSay('write', file, async () => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  })
}

async function newest(): Promise<{ folder: string; report: Report }> {
  const reports: { folder: string; report: Report }[] = []
  for (const folder of defaultFolders) {
    const report = await readReport(folder).catch(() => undefined)
    if (report) reports.push({ folder, report })
  }
  const [first] = reports.toSorted((a, b) => (a.report.startedAt < b.report.startedAt ? 1 : -1))
  if (!first)
    throw new SuiteConfigurationError(
      `No report found in ${defaultFolders.join(' or ')}; run the suite first, or name --from.`,
    )
  return first
}

async function readReport(folder: string): Promise<Report> {
  const file = join(folder, 'report.json')
  const isReport = compile<Report>(schema)
  let report: unknown
  try {
    report = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new SuiteConfigurationError(
      `${file}: the report cannot be read; run the suite first, or name another --from.`,
    )
  }
  if (!isReport(report)) throw new SuiteConfigurationError(`${file} is not a report of this suite.`)
  return report
}
