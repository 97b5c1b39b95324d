import { isForbidden } from '../engine/failure.ts'
import { ConfigurationError, SinkError } from '../errors.ts'

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

/** The exit code of a command that ended with an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exporterExitCodes.configuration
  if (error instanceof SinkError && error.kind === 'permanent') return exporterExitCodes.configuration
  if (isForbidden(error)) return exporterExitCodes.refused
  return exporterExitCodes.failed
}

/** The exit code of a command that ends. @param errors one for each zone that it gave up @param zones number of all its zones */
export function exitCodeOfFailures(errors: readonly unknown[], zones: number): number {
  if (errors.length === 0) return exporterExitCodes.done
  const isRefused = errors.length === zones && errors.every(isForbidden)
  return isRefused ? exporterExitCodes.refused : exporterExitCodes.failed
}
