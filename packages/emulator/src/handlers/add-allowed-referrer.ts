import { empty, refuse } from '../http/refuse.ts'
import type { Handler } from '../platform.ts'

/** Adds one hostname to the allowed referrers of a pull zone (§4.2). */
const addAllowedReferrer: Handler = ({ operation, platform: { state, variants }, parameters, body }) => {
  const zone = state.zones.get(String(parameters['id']))
  if (!zone)
    return refuse(operation, 404, { key: 'pullZone.not_found', message: 'There is no such pull zone.' }, variants)
  const { Hostname: hostname } = body as { Hostname: string }
  if (!zone.allowedReferrers.includes(hostname)) zone.allowedReferrers.push(hostname)
  else if (variants.addTwice === 'refused')
    return refuse(operation, 400, { field: 'Hostname', message: 'The hostname is there already.' }, variants)
  return empty(variants.addSuccess)
}
export default addAllowedReferrer
