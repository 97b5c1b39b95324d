import type { Permission, Selection } from '../../core/plan.ts'
import type { CheckRun } from '../../core/run-check.ts'

/** What a run does. The worker gets this as data, so it contains no secrets and no functions. */
export interface RunConfig extends Selection {
  readonly target: 'mock' | 'emulator' | 'live'
  /** Base URLs of both interfaces; for `live` only. */
  readonly managementUrl?: string
  readonly loggingUrl?: string
  /** Base URLs of imported interfaces by name; for `live` only. */
  readonly importedUrls?: Readonly<Record<string, string>>
  /** Path of the fixtures file; for `live` only. */
  readonly fixtures?: string
  /** Effects that a live run may have, in addition to reading. */
  readonly allow: readonly Permission[]
  /** Maximum number of requests of the checks; unlimited by default. */
  readonly budget?: number
  /** Path of the journal of writes; for `live` only. */
  readonly journal?: string
  /** How far the target's clock is ahead, in ms; for `live` only. */
  readonly clockOffsetMs?: number
  /** Path of the notes for later runs; for `live` only. */
  readonly notes?: string
}

declare module 'vitest' {
  interface TaskMeta {
    run?: CheckRun
  }
  interface ProvidedContext {
    run: RunConfig
  }
}
