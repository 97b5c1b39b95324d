/**
 * The long form of `lifecycle.test.ts`: many runs against the emulator with every permission and every transport
 * fault. Each run is interrupted or killed at a random moment. The platform must be back in its initial state after
 * each interruption, and after the run that follows a kill. Writes may go only to the fixtures.
 *
 *     node packages/conformance/tests/campaigns/endure.ts [rounds]
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { conformance, start, startEmulator } from '../support/process.ts'

const rounds = Number(process.argv[2] ?? 20)
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('endure: the number of rounds must be 1 or more.\n')
  process.exit(2)
}

/** Maximum time before a round is interrupted, in milliseconds. */
const maxRoundMs = 40_000

const faults = [
  { name: 'latency', ms: 300 },
  { name: 'bad-gateway' },
  { name: 'reset-before' },
  { name: 'reset-after' },
  { name: 'cut-body' },
  { name: 'slow-body', bytes: 200, pauseMs: 20 },
  { name: 'time-out', times: 1 },
  { name: 'empty-body' },
  { name: 'no-json' },
  { name: 'redirect' },
]

const folder = mkdtempSync(join(tmpdir(), 'endure-'))
const platform = await startEmulator(folder, 'platform')
const before = await platform.state()
const args = [...platform.args, '--allow', 'write,destructive,burst', '--out', join(folder, 'reports/live')]
const problems: string[] = []

for (let round = 1; round <= rounds; round++) {
  await platform.control('DELETE', 'faults')
  for (const fault of faults) await platform.control('POST', 'faults', { ...fault, share: 0.2 / faults.length })
  const signal = round % 2 === 0 ? 'SIGKILL' : 'SIGINT'
  const ms = Math.round(1_000 + Math.random() * maxRoundMs)
  const running = start(folder, args, platform.env)
  await Promise.race([sleep(ms), running.ended])
  running.child.kill(signal)
  const { code, err } = await running.ended
  const wasChanged = !isDeepStrictEqual(await platform.state(), before)
  await platform.control('DELETE', 'faults')
  // The budget is too small for checks, so this run only undoes the writes that the earlier run left.
  const next = await conformance(folder, [...args, '--budget', '2'], platform.env)
  const isChanged = !isDeepStrictEqual(await platform.state(), before)
  const left = readdirSync(join(folder, 'reports/undo'))
  const note = `round ${round}: ${signal} after ${ms} ms, exit ${code}, ${wasChanged ? 'changed, ' : ''}${next.err.trim()}`
  process.stdout.write(`${note}\n`)
  if (isChanged || left.length > 0)
    problems.push(`${note}: the platform is not in its initial state, or undo steps are left\n${err}`)
}

const { entries } = await platform.journal()
const fixtureIds = Object.values(platform.fixtures)
// Requests for ids that no item has are refused. A fault may show the refusal as a 200.
const strange = entries.filter(
  ({ method, path, status, faults: own }) =>
    method !== 'GET' && status < 300 && !own && !fixtureIds.includes(path.split('/')[2]),
)
if (strange.length > 0)
  problems.push(`${strange.length} writes went to something other than a fixture, the first to ${strange[0]?.path}`)
platform.child.kill()
rmSync(folder, { recursive: true })
process.stdout.write(
  problems.length === 0 ? `${rounds} rounds, the platform is in its initial state\n` : `${problems.join('\n')}\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
