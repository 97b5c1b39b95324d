import type { Terminal } from './progress.ts'

/** Environment variables and output streams of the process. */
export interface ProcessEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  /** Receives messages. Progress bars appear only on a terminal. */
  readonly err: Terminal
}

/** What every command gets from the process. */
export interface ExporterContext extends ProcessEnvironment {
  /** Ends the command. */
  readonly signal: AbortSignal
}
