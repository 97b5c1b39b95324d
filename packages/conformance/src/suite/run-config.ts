import type { Permission, Selection } from '../plan.ts'
import type { CheckRun } from '../run-check.ts'

/** What a run is to do, in a form that reaches the worker: no secret, no function. */
export interface RunConfig extends Selection {
  readonly target: 'mock' | 'emulator' | 'live'
  /** Both for `live` alone. */
  readonly managementUrl?: string
  readonly loggingUrl?: string
  /** Path of the fixtures file; for `live` alone. */
  readonly fixtures?: string
  /** What a live run may do beyond reading. */
  readonly allow: readonly Permission[]
  /** How many requests the checks may send; without bounds where absent. */
  readonly budget?: number
  /** Path of the journal of writes; for `live` alone. */
  readonly journal?: string
}

declare module 'vitest' {
  interface TaskMeta {
    run?: CheckRun
  }
  interface ProvidedContext {
    run: RunConfig
  }
}
