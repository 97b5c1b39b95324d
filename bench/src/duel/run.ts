/**
 * `node bench/src/duel/run.ts [--mutants N] [--minutes N] [--seed N]` goes on with the duel where it ended: it replays the
 * recording to each server, gives each server that shows a difference to each tool, and writes the table of `docs/peers.md`.
 * The first run installs the tools and instruments the emulator.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBetween } from '../marks.ts'
import { catalogue } from './catalogue.ts'
import { recordingFile, root, serversFile } from './folders.ts'
import type { MutantServer } from './instrument.ts'
import { respect } from './respect.ts'
import { readResults, writeResults } from './results.ts'
import { schemathesis } from './schemathesis.ts'
import { correct } from './server.ts'
import { suite } from './suite.ts'
import { figureOf, toTable } from './table.ts'
import { runChild, type Subject, type Tool } from './tool.ts'

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
  },
})
const tools: readonly Tool[] = [respect, suite, schemathesis]
const end = Date.now() + Number(values.minutes) * 60_000
const results = readResults()
if (!existsSync(serversFile))
  for (const file of ['install.ts', 'instrument.ts'])
    execFileSync(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' })
const servers: readonly MutantServer[] = JSON.parse(readFileSync(serversFile, 'utf8'))
if (!existsSync(recordingFile)) await runChild('suite-child.ts', { name: 'right' }, ['1', '--record'])

const sample: Subject[] = [
  ...servers.slice(0, Number(values.mutants)),
  ...Object.keys(catalogue).map((name) => ({ name })),
]
for (const tool of tools) await examine(tool, { name: 'right' })
for (const subject of sample) if (await isVisible(subject)) for (const tool of tools) await examine(tool, subject)
for (const name of correct.slice(1)) for (const tool of tools) await examine(tool, { name })
await writeBetween(join(root, 'docs/peers.md'), 'table', toTable(results, tools))
console.log(figureOf(results, tools))
process.exit()

/** Whether the replay gets a different response from the server. */
async function isVisible({ name, mutant }: Subject): Promise<boolean> {
  if (!results.replay[name] && Date.now() < end) {
    // The mutant is switched on by the child itself, after the replay to the correct server.
    const replayed = await runChild('replay-child.ts', { name }, mutant ? [mutant] : []).catch(() => ({
      different: -1,
    }))
    results.replay[name] = replayed as { different: number } // printed by the child
    writeResults(results)
  }
  return (results.replay[name]?.different ?? 0) > 0
}

async function examine(tool: Tool, subject: Subject): Promise<void> {
  const bySeed = results.tools[tool.name] ?? {}
  results.tools[tool.name] = bySeed
  const byServer = bySeed[values.seed] ?? {}
  bySeed[values.seed] = byServer
  if (byServer[subject.name] || Date.now() > end) return
  byServer[subject.name] = await tool
    .examine(subject, Number(values.seed))
    .catch((error: unknown) => ({ error: String(error).slice(0, 300) }))
  console.log(`${tool.name}: ${subject.name}`)
  writeResults(results)
}
