import { cpus } from 'node:os'
import { client } from './client.ts'
import { cli } from './measurements/cli.ts'
import { dayFile } from './measurements/day-file.ts'
import { exporter } from './measurements/exporter.ts'
import { pages } from './measurements/pages.ts'
import { requests } from './measurements/requests.ts'
import { type Row, toTable } from './row.ts'

/** `pnpm bench [names]`: all measurements, or those that are named, one after the other; a figure out of bounds exits 1. */
const all = [requests, pages, dayFile, cli, ...client, exporter]
const named = process.argv.slice(2)
const unknown = named.find((name) => !all.some((measurement) => measurement.name === name))
if (unknown !== undefined) {
  console.error(
    `There is no measurement ${JSON.stringify(unknown)}; there are: ${all.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

const rows: (Row & { repeat: string })[] = []
for (const measurement of all) {
  if (named.length > 0 && !named.includes(measurement.name)) continue
  for (const row of await measurement.run()) rows.push({ ...row, repeat: `pnpm bench ${measurement.name}` })
}
console.log(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})\n\n${toTable(rows)}`)
process.exitCode = rows.every(({ met }) => met) ? 0 : 1
