import { toleranceMs } from '../reader/server-clock.ts'
import type { ZoneContext } from './options.ts'

/**
 * Removes entries in the platform's future from the ledger, left by a clock that was ahead: windows and gaps, a position, the
 * times of reads. The next cycles rebuild them from the sink and the platform, and an event names the zone.
 */
export async function repair({ zone, ledger, reader, observe }: ZoneContext): Promise<void> {
  const position = await ledger.position(zone)
  const isChanged = await ledger.forgetBeyond(zone, reader.now() + toleranceMs)
  if (isChanged) observe({ type: 'repaired', zone, position })
}
