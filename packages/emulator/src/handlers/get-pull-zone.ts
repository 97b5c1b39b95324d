import { toExact } from '../http/json.ts'
import { json, refuse } from '../http/refuse.ts'
import type { Handler } from '../platform.ts'

/** Reads a pull zone (supplement): how a caller sees its allowed referrers. */
const getPullZone: Handler = ({ operation, platform: { state, variants }, parameters }) => {
  const zone = state.zones.get(String(parameters['id']))
  if (!zone)
    return refuse(operation, 404, { key: 'pullZone.not_found', message: 'There is no such pull zone.' }, variants)
  const none = zone.allowedReferrers.length === 0 && variants.emptyReferrers === 'null'
  return json(200, {
    Id: toExact(zone.id),
    Name: zone.name,
    AllowedReferrers: none ? null : zone.allowedReferrers,
    EnableLogging: zone.logging === 'enabled',
  })
}
export default getPullZone
