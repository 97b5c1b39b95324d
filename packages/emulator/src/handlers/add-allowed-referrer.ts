import type { Handler } from '../handler.ts'
import { empty, refuse } from '../http/refuse.ts'

/** Adds one hostname to the allowed referrers of a pull zone (§4.2). */
const addAllowedReferrer: Handler = ({ operation, context: { state, variants }, parameters, body }) => {
  const zone = state.zones.get(String(parameters['id']))
  if (!zone)
    return refuse(operation, 404, { key: 'pullZone.not_found', message: 'The pull zone does not exist.' }, variants)
  // The body matches its schema.
  const { Hostname: hostname } = body as { Hostname: string }
  if (!zone.allowedReferrers.includes(hostname)) zone.allowedReferrers.push(hostname)
  else if (variants.addTwice === 'refused')
    return refuse(operation, 400, { field: 'Hostname', message: 'The hostname is already in the list.' }, variants)
  return empty(variants.addSuccess)
}
export default addAllowedReferrer
