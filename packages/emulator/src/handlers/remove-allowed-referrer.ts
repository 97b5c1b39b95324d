import type { Handler } from '../handler.ts'
import { empty, refuse } from '../http/refuse.ts'

/** Removes one hostname from the allowed referrers of a pull zone (supplement). */
const removeAllowedReferrer: Handler = ({ operation, context: { state, variants }, parameters, body }) => {
  const zone = state.zones.get(String(parameters['id']))
  if (!zone)
    return refuse(operation, 404, { key: 'pullZone.not_found', message: 'The pull zone does not exist.' }, variants)
  // The body matches its schema.
  const { Hostname: hostname } = body as { Hostname: string }
  if (!zone.allowedReferrers.includes(hostname) && variants.removeAbsent === 404)
    return refuse(operation, 404, { field: 'Hostname', message: 'The hostname is not in the list.' }, variants)
  zone.allowedReferrers = zone.allowedReferrers.filter((present) => present !== hostname)
  return empty(204)
}
export default removeAllowedReferrer
