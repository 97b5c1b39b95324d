import { toleranceMs } from '../reader/server-clock.ts'
import type { ZoneContext } from './options.ts'

/**
 * Removes ledger entries that lie in the future by the platform's time: windows, gaps, a position, and times of reads. They were
 * recorded while the clock was ahead. If anything was removed, an event names the zone. The next cycles record the windows again,
 * from the sink and the platform.
 */
export async function repair({ zone, ledger, reader, observe }: ZoneContext): Promise<void> {
  const position = await ledger.position(zone)
  const isChanged = await ledger.forgetBeyond(zone, reader.now() + toleranceMs)
  if (isChanged) observe({ type: 'repaired', zone, position })
}
