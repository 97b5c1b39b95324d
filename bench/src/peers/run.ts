/**
 * The same mutants under this suite and under two tools that read the same OpenAPI files. `node bench/src/peers/run.ts`
 * prints the table; `--write` puts it into `docs/peers.md` too, `--verbose` names what each tool missed.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutants } from './mutants.ts'
import type { Complaints, Peer, Subject } from './peer.ts'
import { createPrism } from './prism.ts'
import { createRespect } from './respect.ts'
import { mutated, right, variants } from './subjects.ts'
import { createSuite } from './suite.ts'

/** What one tool did. */
interface Score {
  readonly peer: Peer
  readonly missed: readonly string[]
  /** Complaints about the right server. */
  readonly alarms: Complaints
  /** How many servers that are right in another way it complains of, beyond what it says of the right one. */
  readonly alarmed: number
  readonly seconds: { readonly right: number; readonly mutants: number }
}

const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, verbose: { type: 'boolean' } } })
const scores: Score[] = []
for (const layer of ['document', 'full'] as const) {
  for (const peer of [createSuite(layer), await createPrism(layer), createRespect(layer)]) {
    const score = await measure(peer)
    scores.push(score)
    if (options.verbose) console.error(`${peer.name} (${layer})\n  alarms: ${[...score.alarms].join('; ')}\n  missed: ${score.missed.join(' ')}`)
  }
}
const table = toTable(scores)
console.log(table)
if (options.write) await writeInto(join(import.meta.dirname, '../../../docs/peers.md'), table)
process.exit()

async function measure(peer: Peer): Promise<Score> {
  const [[alarms = none], rightSeconds] = await timed(peer, [right])
  const [found, mutantSeconds] = await timed(peer, mutants.map(mutated))
  const [others] = await timed(peer, variants)
  return {
    peer,
    missed: mutants.filter((_, index) => isNew(found[index], alarms).length === 0).map(({ id }) => id),
    alarms,
    alarmed: others.filter((complaints) => isNew(complaints, alarms).length > 0).length,
    seconds: { right: rightSeconds, mutants: mutantSeconds },
  }
}

const none: Complaints = new Set()

/** What a tool says of a server and not of the right one. */
function isNew(complaints: Complaints = none, alarms: Complaints): string[] {
  return [...complaints.difference(alarms)]
}

async function timed(peer: Peer, subjects: readonly Subject[]): Promise<[Complaints[], number]> {
  const started = performance.now()
  return [await peer.examine(subjects), (performance.now() - started) / 1000]
}

function toTable(all: readonly Score[]): string {
  const layers = { document: 'document', full: 'document + supplement' } as const
  const rows = all.map(({ peer, missed, alarms, alarmed, seconds }) => [
    peer.name,
    layers[peer.layer],
    `${mutants.length - missed.length} of ${mutants.length}`,
    String(alarms.size),
    `${alarmed} of ${variants.length}`,
    `${seconds.right.toFixed(1)} s`,
    `${seconds.mutants.toFixed(0)} s`,
  ])
  const head = ['tool', 'contract', 'mutants killed', 'alarms on the right server', 'right in another way, alarmed', 'one run', 'all mutants']
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${lines.join('\n')}\n\nNode ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}).`
}

/** Replaces what stands between the two marks of a file. */
async function writeInto(file: string, text: string): Promise<void> {
  const [start, end] = ['<!-- table -->', '<!-- /table -->']
  const before = await readFile(file, 'utf8')
  const after = before.replace(new RegExp(`${start}[\\s\\S]*${end}`), `${start}\n\n${text}\n\n${end}`)
  if (!before.includes(start) || !before.includes(end)) throw new Error(`${file} has no place for the table`)
  await writeFile(file, after)
}
