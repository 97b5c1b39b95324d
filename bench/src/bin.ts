import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { client } from './client.ts'
import { readBetween, writeBetween } from './marks.ts'
import { cli } from './measurements/cli.ts'
import { dayFile } from './measurements/day-file.ts'
import { exporter } from './measurements/exporter.ts'
import { largeContract } from './measurements/large-contract.ts'
import { pages } from './measurements/pages.ts'
import { requests } from './measurements/requests.ts'
import { parseTable, type TableRow, toTable } from './table.ts'

/**
 * `pnpm bench [--write] [names]`: all measurements, or those that are named, one after the other; a figure out of bounds
 * exits 1. With `--write` the table of the README gets what was measured, and keeps its other rows.
 */
const all = [requests, pages, dayFile, cli, ...client, exporter, largeContract]
const { values, positionals: named } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const unknown = named.find((name) => !all.some((measurement) => measurement.name === name))
if (unknown !== undefined) {
  console.error(
    `There is no measurement ${JSON.stringify(unknown)}; there are: ${all.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

const measured = named.length > 0 ? all.filter(({ name }) => named.includes(name)) : all
const rows: TableRow[] = []
for (const { name, run } of measured)
  for (const row of await run()) rows.push({ ...row, met: row.met ? 'yes' : 'NO', repeat: `pnpm bench ${name}` })
const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})`
console.log(`${machine}\n\n${toTable(rows)}`)

if (values.write) {
  const readme = join(import.meta.dirname, '../../README.md')
  const known = parseTable(await readBetween(readme, 'bench'))
  const merged = all.flatMap((measurement) =>
    (measured.includes(measurement) ? rows : known).filter(({ repeat }) => repeat === `pnpm bench ${measurement.name}`),
  )
  await writeBetween(readme, 'bench', `${toTable(merged)}\n\n${machine}.`)
}
process.exitCode = rows.every(({ met }) => met === 'yes') ? 0 : 1
