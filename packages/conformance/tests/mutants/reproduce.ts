import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { type CheckResult, curlLine, SetupError } from '../../src/index.ts'
import { variablesOf } from '../../src/run/redact.ts'
import { type LiveRunOptions, runLive, type World } from '../support/live-run.ts'
import type { ServerMutant } from './mutant.ts'

/** Whether the evidence has a credential that the check made up. A command cannot hold it. */
export function isForged({ evidence }: CheckResult): boolean {
  return evidence?.exchanges.some(({ request }) => Object.values(request.headers).includes('[redacted]')) ?? false
}

/** What failed: a query of the logs, an input, or a change of the state. */
export type Kind = 'logs' | 'input' | 'state'

/** Returns the kind of a failed check; undefined for other checks. */
export function kindOf({ id, evidence }: CheckResult): Kind | undefined {
  const [call] = evidence?.calls ?? []
  if (call?.input !== undefined) return 'input'
  if (id.startsWith('management.') && (call || /[.]effect|-id(\/|$)|one-per-call/.test(id))) return 'state'
  return call ? 'logs' : undefined
}

/** How often a failure was seen again. */
export interface Reproduction {
  readonly mutant: string
  readonly check: string
  readonly seed: number
  /** Number of replays of the stored case that failed again. */
  readonly replays: number
  /** Number of times that the commands of the evidence got the same last response. */
  readonly commands: number
}

/** Number of characters of a body that are compared. The evidence holds only the start of a long body. */
const comparedBody = 300

/** Finds a failure of a mutant in a live run; undefined if no check with evidence fails. */
export async function failureOf(
  mutant: ServerMutant,
  pick: (failed: readonly CheckResult[]) => CheckResult | undefined,
): Promise<{ readonly world: World; readonly check: CheckResult; readonly seed: number } | undefined> {
  for (const late of [false, true]) {
    const world: World = { name: mutant.id, traffic: 'planted', break: mutant.apply, ...(late && { breaksLate: true }) }
    const report = await reportOf(world, {
      select: ({ requirements }) => requirements.some((id) => mutant.breaks.includes(id)),
    })
    const check = pick(report?.checks.filter(({ outcome, evidence }) => outcome === 'fail' && evidence) ?? [])
    if (report && check) return { world, check, seed: report.seed }
  }
  return undefined
}

/** Sends the stored case of a failure, and the commands of its evidence, several times, each time to a new server. */
export async function reproduce(
  { world, check, seed }: NonNullable<Awaited<ReturnType<typeof failureOf>>>,
  times: number,
): Promise<Reproduction> {
  const replay = { target: 'live', check: check.id, seed, calls: check.evidence?.calls ?? [] } as const
  let replays = 0
  let commands = 0
  for (let time = 0; time < times; time++) {
    const report = await reportOf(world, { select: ({ id }) => id === check.id, caseSeed: seed, replay })
    if (report?.checks.some(({ id, outcome }) => id === check.id && outcome === 'fail')) replays++
    if (await isSeenByCommands(world, check)) commands++
  }
  return { mutant: world.name, check: check.id, seed, replays, commands }
}

async function reportOf(world: World, options: LiveRunOptions) {
  try {
    return (await runLive(world, options)).report
  } catch (error) {
    if (error instanceof SetupError) return undefined
    throw error
  }
}

/** Whether the commands of the evidence, one after another, get the last response of the evidence from a new server. */
async function isSeenByCommands(world: World, { evidence }: CheckResult): Promise<boolean> {
  const emulator = await createEmulator({ variants: { errorBodies: 'present' } })
  world.break?.(emulator)
  const { managementUrl, loggingUrl, close } = await emulator.listen()
  const credentials = [...variablesOf(emulator.fixtures.credentials)].map(([value, variable]) => [variable, value])
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(credentials) }
  const exchanges = defined(evidence).exchanges
  try {
    let last: { readonly status: number; readonly body: string } | undefined
    for (const { request } of exchanges) {
      const base = /^\/(v2\/|\d\d-)/.test(new URL(request.url).pathname) ? loggingUrl : managementUrl
      const url = new URL(request.url)
      url.host = base.host
      const command = curlLine({ ...request, url: url.href })
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env, maxBuffer: 2 ** 28 })
      const [head = '', ...parts] = stdout.split('\r\n\r\n')
      last = { status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]), body: parts.join('\r\n\r\n') }
    }
    const { response } = defined(exchanges.at(-1))
    return (
      response?.status === last?.status && response?.body.slice(0, comparedBody) === last?.body.slice(0, comparedBody)
    )
  } finally {
    await close()
  }
}
