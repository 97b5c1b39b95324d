import type { DataOutput } from '../output/output.ts'
import type { CommandPlatform } from '../target/platform.ts'
import type { Writer } from './writer.ts'

/** The environment of a command. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output: data. */
  readonly out: Writer
  /** Standard error: notes, prompts, progress. */
  readonly err: Writer
  /** Opens standard input, which takes time. */
  readonly stdin: () => NodeJS.ReadStream
  /** Prints data in the chosen format; for commands with `hasOutput`. */
  readonly output: DataOutput
  /** Addresses and credential, by profile and environment; for commands with `isRemote`. */
  readonly platform: CommandPlatform
  /**
   * Aborts to end the command early: the user interrupts, the output is closed, or the request of a dry run is printed. Throw its
   * reason (a SilentEnd).
   */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Waits for a time in ms; rejects with the reason of `signal` when that aborts. */
  readonly sleep: (ms: number) => Promise<void>
}
