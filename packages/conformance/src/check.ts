import type { Effect, Ground } from '@cdn/api/contract'

/** Bearer tokens and the API key of a run. In a fixtures file these are names of environment variables. */
export interface Credentials {
  readonly accessKey?: string
  readonly bearer?: string
  readonly expired?: string
  readonly noScope?: string
  readonly byScope?: Readonly<Record<string, string>>
}

/** What a run may touch. Ids are decimal strings; whatever is missing skips the checks that need it. */
export interface Fixtures {
  readonly libraryId?: string
  /** Path of the image that restores the watermark. */
  readonly watermarkFile?: string
  readonly absentLibraryId?: string
  readonly zoneId?: string
  readonly absentZoneId?: string
  /** A pull zone with logging, and with traffic in the last 24 hours. */
  readonly loggedZoneId?: string
  readonly otherLoggedZoneId?: string
  readonly unloggedZoneId?: string
  readonly suspendedZoneId?: string
  readonly disabledZoneId?: string
  readonly credentials: Credentials
}

export type Need = Exclude<keyof Fixtures, 'credentials'> | `credentials.${keyof Credentials}` | 'virtual-clock'

/** How to take back a write: one request, sent with the run's API key. */
export interface UndoStep {
  readonly text: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export interface CheckContext {
  /** Records each exchange; obeys the rate limit for checks that are no burst. */
  readonly fetch: typeof fetch
  readonly management: URL
  readonly logging: URL
  readonly fixtures: Fixtures
  now(): Date
  /** Moves the virtual clock, or sleeps. */
  wait(ms: number): Promise<void>
  readonly signal: AbortSignal
  /** Registers how to take back a write; to be called before the write is sent. */
  onUndo(step: UndoStep): Promise<void>
  /** Records what a target does where nobody says what it should do. */
  observe(id: string, value: unknown): void
}

/** A check is a value: it says what it looks at and what it needs, and `run` throws when the target is wrong. */
export interface Check {
  /** The requirement's id, with what is looked at behind a slash where one requirement has several checks. */
  readonly id: string
  readonly requirements: readonly string[]
  readonly ground: Ground
  /** `supplement` where the check needs a parameter, field or path that the document does not show. */
  readonly through: Ground
  readonly effect: Effect
  /** Sends more than the rate limit allows, on purpose. */
  readonly burst?: true
  /** Sends an API key that is wrong; a live run sends at most two. */
  readonly wrongKey?: true
  readonly needs: readonly Need[]
  run(context: CheckContext): Promise<void>
}
