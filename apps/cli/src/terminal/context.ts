import type { DataOutput } from '../output/create-output.ts'
import type { CommandPlatform } from '../target/platform.ts'
import type { Env } from '../target/profiles.ts'
import type { Writer } from './writer.ts'

export interface CommandContext {
  readonly env: Env
  readonly out: Writer
  readonly err: Writer
  /** Opens standard input. A function, because opening takes time. */
  readonly stdin: () => NodeJS.ReadStream
  readonly output: DataOutput
  readonly platform: CommandPlatform
  /**
   * Aborts if the command must end early: the user interrupts, the output is closed, or the request of a dry run is printed. The
   * command must then throw the signal's reason (a SilentEnd).
   */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Waits for a time in ms. If `signal` aborts, rejects with its reason. */
  readonly sleep: (ms: number) => Promise<void>
}
