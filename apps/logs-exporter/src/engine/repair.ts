import { toleranceMs } from '../reader/server-clock.ts'
import type { ZoneContext } from './options.ts'

/**
 * Removes from the ledger what a clock that was ahead has left in the platform's future: windows, gaps, a position, and times of
 * reads. An event names the zone. The next cycles record the windows again, from the sink and the platform.
 */
export async function repair({ zone, ledger, reader, observe }: ZoneContext): Promise<void> {
  const position = await ledger.position(zone)
  const isChanged = await ledger.forgetBeyond(zone, reader.now() + toleranceMs)
  if (isChanged) observe({ type: 'repaired', zone, position })
}
