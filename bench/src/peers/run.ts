/**
 * Checks the same mutants with this suite and with two tools that read the same OpenAPI files. `node bench/src/peers/run.ts` prints
 * the table. `--write` also updates the table in `docs/peers.md`. `--verbose` also lists the missed mutants of each tool.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBetween } from '../marks.ts'
import { createPrism } from './prism.ts'
import { createRespect } from './respect.ts'
import { measure, type Score } from './score.ts'
import { createSuite } from './suite.ts'
import { toTable } from './table.ts'

const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, verbose: { type: 'boolean' } } })
const scores: Score[] = []
for (const layer of ['document', 'full'] as const) {
  for (const peer of [createSuite(layer), await createPrism(layer), createRespect(layer)]) {
    const score = await measure(peer)
    scores.push(score)
    if (options.verbose)
      console.error(
        `${peer.name} (${layer})\n  alarms: ${[...score.alarms].join('; ')}\n  missed: ${score.missed.join(' ')}`,
      )
  }
}
const table = toTable(scores)
console.log(table)
if (options.write) await writeBetween(join(import.meta.dirname, '../../../docs/peers.md'), 'table', table)
process.exit()
