/**
 * The long form of `lifecycle.test.ts`: many runs of the checks that write, against the emulator with transport faults and an area whose
 * items the suite creates. Each run is killed or interrupted at a random moment while it writes. The platform must be in the declared state
 * after the sweep that follows, and foreign items must be as they were. Writes may go only to the fixtures and to own items.
 *
 *     node packages/conformance/tests/campaigns/endure.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { startConformance, startEmulator } from '../support/process.ts'

const rounds = Number(process.argv[2] ?? 20)
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('endure: the number of rounds must be 1 or more.\n')
  process.exit(2)
}

/** Maximum time from the first write until the script ends a run, in milliseconds. */
const maxWritingMs = 3_000
/** Maximum time until the first write of a run, in milliseconds. */
const maxBeginMs = 60_000

const faults = [
  { name: 'latency', ms: 50 },
  { name: 'bad-gateway' },
  { name: 'reset-before' },
  { name: 'reset-after' },
  { name: 'cut-body' },
  { name: 'slow-body', bytes: 200, pauseMs: 20 },
  { name: 'empty-body' },
  { name: 'no-json' },
  { name: 'redirect' },
]

// `sweep/things-area.ts` adds an area to the contract of both the emulator and the suite.
const env = { NODE_OPTIONS: `--import "${join(import.meta.dirname, '../sweep/things-area.ts')}"` }
Object.assign(process.env, env)

const folder = mkdtempSync(join(tmpdir(), 'endure-'))
const platform = await startEmulator(folder, 'platform')
const foreign = Array.from({ length: 30 }, (_, index) => ({ Id: index + 1, Name: `customer-${index}`, Size: index }))
await platform.control('PUT', 'state', { resources: { '/things': foreign } })
const before = await platform.state()
const runEnv = { ...env, ...platform.env }
// Run only checks that write, so that a run ends between writes.
const only = ['--only', 'management.*-thing.*,management.*-allowed-referrer.*,management.*-watermark.*']
const args = [...platform.args, '--allow', 'write,destructive', ...only, '--out', join(folder, 'reports/live')]
const problems: string[] = []
let changed = 0

const fixtureIds = Object.values(platform.fixtures)
const foreignIds = foreign.map(({ Id }) => String(Id))

async function hasWritten(): Promise<boolean> {
  return (await platform.journal()).entries.some(({ method }) => method !== 'GET')
}

async function strangeWrites(): Promise<readonly string[]> {
  const { entries } = await platform.journal()
  // Refused writes do not count. A fault may turn a refusal into a 200, so entries with a fault do not count either.
  const done = entries.filter(({ method, status, faults: own }) => method !== 'GET' && status < 300 && !own)
  return done.flatMap(({ path }) => {
    const [, collection, id = ''] = path.split('/')
    const isOwn = collection === 'things' ? !foreignIds.includes(id) : fixtureIds.includes(id)
    return isOwn ? [] : [path]
  })
}

for (let round = 1; round <= rounds; round++) {
  for (const fault of faults) await platform.control('POST', 'faults', { ...fault, share: 0.1 / faults.length })
  const signal = round % 4 === 0 ? 'SIGINT' : 'SIGKILL'
  const ms = Math.round(Math.random() * maxWritingMs)
  await platform.control('DELETE', 'journal')
  const running = startConformance(folder, args, runEnv)
  let hasEnded = false
  void running.ended.then(() => (hasEnded = true))
  const giveUp = Date.now() + maxBeginMs
  while (!hasEnded && Date.now() < giveUp && !(await hasWritten())) await sleep(20)
  await Promise.race([sleep(ms), running.ended])
  running.child.kill(signal)
  const { code, err } = await running.ended
  const isChanged = !isDeepStrictEqual(await platform.state(), before)
  if (isChanged) changed++
  await platform.control('DELETE', 'faults')
  const sweep = await startConformance(folder, ['sweep', ...platform.args.slice(3)], runEnv).ended
  const isSwept = isDeepStrictEqual(await platform.state(), before)
  const done = sweep.out.trim().split('\n').length
  const note = `round ${round}: ${signal} ${ms} ms after the first write, exit ${code}, ${isChanged ? `changed, ${done} swept` : 'unchanged'}`
  process.stdout.write(`${note}\n`)
  if (!isSwept || sweep.code !== 0) problems.push(`${note}: not in the declared state\n${err}${sweep.out}${sweep.err}`)
  const [strange] = await strangeWrites()
  if (strange !== undefined) problems.push(`${note}: a write went to ${strange}`)
  if (signal === 'SIGINT' && isChanged) problems.push(`${note}: an interrupted run left something\n${err}`)
}

platform.close()
rmSync(folder, { recursive: true })
process.stdout.write(
  problems.length === 0
    ? `${rounds} rounds, ${changed} left something, and the sweep brought each back\n`
    : `${problems.join('\n')}\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
