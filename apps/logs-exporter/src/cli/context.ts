import type { Terminal } from './progress.ts'

/** Environment variables and output streams of the process. */
export interface ProcessEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  /** Receives messages. Progress bars appear only on a terminal. */
  readonly err: Terminal
}

/** The environment of a command: that of the process, and a signal. */
export interface ExporterContext extends ProcessEnvironment {
  readonly signal: AbortSignal
}

/** Exit codes of the process (docs/exporter.md). */
export const exporterExitCodes = {
  done: 0,
  /** A failure that may be transient (disk, network, a port in use, a refused zone), or a bug of the exporter. */
  failed: 1,
  /** Invalid command line or configuration. */
  configuration: 2,
  /** The platform refuses the credential for every zone. */
  refused: 3,
  /** A range or a segment is lost, or `verify` found a difference. */
  lost: 6,
  interrupted: 130,
} as const
