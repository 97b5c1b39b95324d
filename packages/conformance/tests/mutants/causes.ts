/** How many causes a faulty server has, and which requirements it is accused of without breaking them. */
import { operations } from '@cdn/api/contract'
import { createEmulator, type Emulator, type FaultName, implemented, type Variants } from '@cdn/emulator'
import {
  assembleReport,
  type Cause,
  type Check,
  type CheckRun,
  createPlan,
  runCheck,
  sessionOn,
} from '../../src/index.ts'
import { summaryOf } from '../../src/memory/changes.ts'
import { syncIssues } from '../../src/memory/issues.ts'
import { digestOf } from '../../src/memory/message.ts'
import type { Session } from '../../src/run/targets/target.ts'
import { conformantServers } from './false-alarms.ts'
import type { ServerUnderTest } from './mutant.ts'

/** A server with a mistake, and the requirements that it may be accused of. */
export interface FaultyServer extends Pick<ServerUnderTest, 'id' | 'breaks' | 'operations' | 'apply'> {
  readonly variants?: Partial<Variants>
}

export interface Verdict {
  readonly id: string
  /** The causes, each as operation and observation. */
  readonly causes: readonly string[]
  /** Messages and issues of a first night. */
  readonly messages: number
  readonly issues: number
  /** The requirements that are called broken although the server does not break them. */
  readonly untrue: readonly string[]
}

const { signal } = new AbortController()
const plan = createPlan()

/** @param shared what the checks of one server share, as in a run on the emulator */
async function runOn(
  check: Check,
  { apply, variants }: Partial<FaultyServer> = {},
  shared: Session['shared'] = new Map(),
): Promise<CheckRun> {
  const emulator = await createEmulator({ variants: { errorBodies: 'present', retryAfter: 'present', ...variants } })
  apply?.(emulator)
  return runCheck(check, { ...sessionOn(emulator), shared }, { signal })
}

/** Runs checks on the conformant server. */
export async function runsOnRight(isChosen: (check: Check) => boolean = () => true): Promise<readonly CheckRun[]> {
  const runs: CheckRun[] = []
  for (const check of plan.checks.filter(isChosen)) runs.push(await runOn(check))
  return runs
}

/** Judges a faulty server by all checks that call an operation with the mistake. */
export async function judge(server: FaultyServer, right: readonly CheckRun[]): Promise<Verdict> {
  const { id, breaks, operations: names, variants } = server
  const runs: CheckRun[] = []
  const shared: Session['shared'] = new Map()
  for (const check of plan.checks) {
    const before = right.find(({ result }) => result.id === check.id)
    const isConcerned = names === undefined || names.some((name) => before?.operations.includes(name))
    if (isConcerned && before?.result.outcome === 'pass') runs.push(await runOn(check, server, shared))
  }
  const facts = { startedAt: '2026-01-01T00:00:00Z', durationMs: 1, status: 'complete', seed: 1 } as const
  const report = assembleReport({ plan, runs, ...facts, target: { kind: 'emulator' } })
  // A platform that differs from the supplement is conformant, and shows that the supplement is wrong about it.
  const isPermitted = ({ checks: ids }: Cause) =>
    Object.keys(variants ?? {}).length > 0 &&
    ids.every((one) => report.checks.find(({ id }) => id === one)?.basis === 'supplement')
  const causes = report.causes.filter((cause) => !isPermitted(cause))
  const noProgram = () => Promise.reject(new Error('a dry run starts no program'))
  const broken = new Set(causes.flatMap(({ requirements }) => requirements))
  return {
    id,
    messages: digestOf(report, []) ? 1 : 0,
    issues: (await syncIssues(report, [summaryOf(report)], noProgram, { isDry: true })).length,
    causes: causes.map(({ operation, seen }) => `${operation}: ${seen}`),
    untrue: [...broken].filter((one) => !breaks.includes(one)),
  }
}

/** Each value of each permitted variant: they break nothing. */
export function variantServers(): FaultyServer[] {
  return conformantServers().map(({ name, variants }) => ({ id: name, variants, breaks: [], apply: () => {} }))
}

/** Faults that a run of the checks cannot show: they only take time. */
const slowFaults = ['latency', 'slow-body', 'time-out']

/** Each fault of the emulator on each operation. A fault that replaces every response breaks each sentence about the operation's responses. */
export function faultsOnOperations(faults: readonly FaultName[]): FaultyServer[] {
  const own = operations.filter(({ name }) => implemented.has(name))
  return faults
    .filter((name) => !slowFaults.includes(name))
    .flatMap((name) =>
      own.map((operation) => ({
        id: `${name} on ${operation.name}`,
        operations: [operation.name],
        breaks: brokenBy(name, operation.interface, operation.name),
        apply: (emulator: Emulator) => void emulator.faults.add({ name, operation: operation.name }),
      })),
    )
}

const ofFault: Partial<Record<FaultName, RegExp>> = {
  'stricter-rate-limit': /rate-limit/,
  'rate-limited': /rate-limit/,
  'unknown-cache-status': /cache-status\.values/,
  'repeated-page':
    /pagination|partition|authentication|errors\.unauthorized|error-place|rate-limit|echo|has-more|\.zone$|\.order$/,
  'null-data': /\.body$|raw-logs|\.json$|\.echo$/,
}

function brokenBy(fault: FaultName, of: string, operation: string): string[] {
  const ofResponses = new RegExp(
    String.raw`^${of}\.(${operation}\.(2xx|\d{3}.*|body|json|bytes.*|line|pipe-delimited|attachment|retention-.*|access-key)|authentication\.|errors\.|service\.|rate-limit\.)`,
  )
  const pattern = ofFault[fault] ?? ofResponses
  return plan.requirements.flatMap(({ id }) => (pattern.test(id) ? [id] : []))
}
