/** Conditions that end a run without a signal. */
import type { EngineEvent } from '../engine/events.ts'
import { isForbidden } from '../engine/failure.ts'
import { exporterExitCodes } from './context.ts'

/** If this many zones, or all if there are fewer, are refused and none is accepted, the credential counts as wrong. */
const decisiveCount = 20

/**
 * Detects a wrong credential: the platform refuses every zone that is tried at the start. A single refused zone does not prove it.
 *
 * @param zones number of zones
 * @param onRefused called when the credential counts as wrong
 */
export function watchRefusals(zones: number, onRefused: () => void) {
  const refused = new Set<string>()
  const failed = new Set<string>()
  let isOver = false
  const isRefused = () => !isOver && zones > 0 && refused.size >= Math.min(zones, decisiveCount)
  return {
    isRefused,
    observe(event: EngineEvent): void {
      if (event.type === 'failed') {
        failed.add(event.zone)
        if (!isForbidden(event.error)) return
        refused.add(event.zone)
        if (isRefused()) onRefused()
        // A cycle without a failure counts as accepted, even if its request failed for another reason, so that the run continues.
      } else if (event.type === 'window' || event.type === 'recheck') isOver = true
      else if (event.type === 'cycle' && !failed.delete(event.zone)) isOver = true
    },
  }
}

/** The exit code of a command that gave up one zone for each error. @param zones number of its zones */
export function exitCodeOfFailures(errors: readonly unknown[], zones: number): number {
  if (errors.length === 0) return exporterExitCodes.done
  const isRefused = errors.length === zones && errors.every(isForbidden)
  return isRefused ? exporterExitCodes.refused : exporterExitCodes.failed
}
