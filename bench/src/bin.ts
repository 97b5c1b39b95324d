import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientCalls } from './measurements/client-calls.ts'
import { clientLogs } from './measurements/client-logs.ts'
import { clientSizes } from './measurements/client-sizes.ts'
import { exporter } from './measurements/exporter.ts'
import { requests } from './measurements/requests.ts'
import { parseTable, type TableRow, toTable } from './table.ts'

/**
 * `pnpm bench [--write] [names]`: runs all measurements, or the named ones, in sequence. The exit code is 1 if a figure misses its
 * bound. `--write` updates the rows of these measurements in the README's table.
 */
const all = [requests, clientCalls, clientLogs, clientSizes, exporter]
const { values, positionals: names } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const unknown = names.find((name) => !all.some((measurement) => measurement.name === name))
if (unknown !== undefined) {
  console.error(
    `Unknown measurement ${JSON.stringify(unknown)}: expected one of ${all.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

const selected = names.length > 0 ? all.filter(({ name }) => names.includes(name)) : all
const rows: TableRow[] = []
for (const { name, run } of selected)
  for (const row of await run()) rows.push({ ...row, met: row.met ? 'yes' : 'NO', repeat: `pnpm bench ${name}` })
const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})`
console.log(`${machine}\n\n${toTable(rows)}`)

if (values.write) {
  const readme = join(import.meta.dirname, '../README.md')
  const marks = /(?<=<!-- bench -->)|(?=<!-- \/bench -->)/
  const [before, table = '', after] = readFileSync(readme, 'utf8').split(marks)
  if (after === undefined) throw new Error(`Missing marks in ${readme}: expected <!-- bench --> and <!-- /bench -->`)
  const oldRows = parseTable(table)
  const merged = all.flatMap((measurement) =>
    (selected.includes(measurement) ? rows : oldRows).filter(
      ({ repeat }) => repeat === `pnpm bench ${measurement.name}`,
    ),
  )
  writeFileSync(readme, `${before}\n\n${toTable(merged)}\n\n${machine}.\n\n${after}`)
}
process.exitCode = rows.every(({ met }) => met === 'yes') ? 0 : 1
