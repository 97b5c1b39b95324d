import type { SinkConfig } from '../../src/config/config.ts'
import type { Plan } from '../../src/engine/plan.ts'

/** What a worker is to do; handed over as JSON. */
export interface Assignment {
  readonly loggingUrl: string
  readonly accessKey: string
  readonly zones: readonly string[]
  readonly plan: Plan
  /** By the platform's clock, in ms since 1970. */
  readonly now: number
  readonly ledger: string
  readonly sink: SinkConfig
  /** Where it kills itself; nowhere where absent. */
  readonly kill?: { readonly point: KillPoint; readonly nth: number } | undefined
  /** A file that takes room from a small disk, deleted when something has failed because the disk is full. */
  readonly ballast?: string
}

/** Where a worker can be told to kill itself: before a step, or `after` it. The last ones are those of the files sink alone. */
export const killPoints = [
  'begin',
  'write',
  'publish',
  'after publish',
  'record',
  'after record',
  'create file',
  'write file',
  'sync file',
  'link',
  'after link',
  'sync directory',
  'make directory',
  'unlink',
] as const
export type KillPoint = (typeof killPoints)[number]

/** Those that every sink has. */
export const commonPoints = killPoints.slice(0, killPoints.indexOf('create file'))
