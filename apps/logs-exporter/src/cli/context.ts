import type { Terminal } from './progress.ts'

/** Environment variables and output streams of the process. */
export interface ProcessEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  /** Receives the log, errors and progress lines. */
  readonly err: Terminal
}

/** The environment of a command: the environment of the process, and a signal. */
export interface ExporterContext extends ProcessEnvironment {
  readonly signal: AbortSignal
}
