import type { Output } from '../output/output.ts'
import type { Platform } from '../platform/platform.ts'
import type { Input } from './input.ts'
import type { Writer } from './writer.ts'

/** What a command sees of the world. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output: data. */
  readonly out: Writer
  /** Standard error: notes, questions, progress. */
  readonly err: Writer
  /** Standard input. */
  readonly in: Input
  /** Prints data in the format that was asked for; for commands with `hasOutput`. */
  readonly output: Output
  /** Addresses and credential, by profile and environment; for commands with `isRemote`. */
  readonly platform: Platform
  /**
   * Fires when the user interrupts (reason `Interrupted`), the output is closed (`OutputClosed`), or nothing is to be sent
   * (`NotSent`). Throw its reason.
   */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Waits so many milliseconds; rejects with the reason of `signal` when that fires. */
  readonly sleep: (ms: number) => Promise<void>
}
