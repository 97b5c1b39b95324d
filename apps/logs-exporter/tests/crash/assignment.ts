import type { PrivacyConfig, SinkConfig } from '../../src/config/config.ts'
import type { ExportPlan } from '../../src/engine/plan.ts'

/** The work of a worker process, passed as JSON. */
export interface Assignment {
  readonly loggingUrl: string
  readonly accessKey: string
  readonly zones: readonly string[]
  readonly plan: ExportPlan
  /** Current time by the platform's clock, in ms since 1970. */
  readonly now: number
  readonly ledger: string
  readonly sink: SinkConfig
  readonly privacy: PrivacyConfig
  /** Where the worker kills itself. By default, it does not. */
  readonly kill?: { readonly point: KillPoint; readonly nth: number } | undefined
  /** A file that fills a small disk. The worker deletes it after the disk was full. */
  readonly ballast?: string
}

/** Points at which a worker can kill itself: before a step, or `after` it. Only the files sink has `create file` and the points after it. */
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

/** The points that every sink has. */
export const commonPoints = killPoints.slice(0, killPoints.indexOf('create file'))
