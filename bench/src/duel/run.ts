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
import { hashSources, recordingFile, root, serversFile, toolsFolder } from './folders.ts'
import type { Servers } from './instrument.ts'
import { prism } from './prism.ts'
import { respect } from './respect.ts'
import { alarmsOf, readResults, shortened, writeResults } from './results.ts'
import { schemathesis } from './schemathesis.ts'
import { correct } from './server.ts'
import { specmatic } from './specmatic.ts'
import { suite } from './suite.ts'
import { figureOf, toTable } from './table.ts'
import type { Subject, Tool } from './tool.ts'
import { see } from './visibility.ts'

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
  },
})
/** Lists of tools that run at the same time, one tool of each. The lists need about the same time. */
const lanes: readonly (readonly Tool[])[] = [[suite, respect], [schemathesis], [specmatic, prism]]
const tools = lanes.flat()
const end = Date.now() + Number(values.minutes) * 60_000
const sources = hashSources()
const results = readResults(sources)
const prepare = (file: string) =>
  execFileSync(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' })
const readServers = (): Servers | undefined =>
  existsSync(serversFile) ? JSON.parse(readFileSync(serversFile, 'utf8')) : undefined
if (!existsSync(toolsFolder)) prepare('install.ts')
if (readServers()?.sources !== sources) prepare('instrument.ts')
const { servers = [] } = readServers() ?? {}
if (!existsSync(recordingFile))
  for (const tool of [suite, schemathesis, specmatic, respect]) await tool.examine({ name: 'right', record: true }, 1)

const sample: Subject[] = [
  ...Object.keys(catalogue).map((name) => ({ name })),
  ...servers.slice(0, Number(values.mutants)),
]
const notSeen = sample.filter(({ name }) => !results.replay[name]).values()
const replayNext = async () => {
  for (const subject of notSeen) if (Date.now() < end) results.replay[subject.name] = await see(subject)
}
await replayNext()
writeResults(results)
for (const name of correct) await examine({ name })
for (const subject of sample) if (results.replay[subject.name]?.first) await examine(subject)
await writeBetween(join(root, 'docs/peers.md'), 'table', toTable(results, tools))
console.log(figureOf(results, tools))
process.exit()

/** Gives a server to every tool that has not examined it with this seed, and stores each result at once. */
async function examine(subject: Subject): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      for (const tool of lane) await examineWith(tool, subject)
    }),
  )
}

async function examineWith(tool: Tool, subject: Subject): Promise<void> {
  const bySeed = results.tools[tool.name] ?? {}
  results.tools[tool.name] = bySeed
  const byServer = bySeed[values.seed] ?? {}
  bySeed[values.seed] = byServer
  const isRepeated = values.seed !== '1' && !tool.varies
  if (byServer[subject.name] || isRepeated || Date.now() > end) return
  byServer[subject.name] = await tool.examine(subject, Number(values.seed)).then(
    (result) => (subject.name === 'right' ? result : shortened(result, alarmsOf(bySeed))),
    (error: unknown) => ({ error: String(error).slice(0, 300) }),
  )
  console.log(`${tool.name}: ${subject.name}`)
  writeResults(results)
}
