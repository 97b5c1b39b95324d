import type { Handler } from '../handler.ts'
import { json, refuse } from '../http/refuse.ts'
import { showPullZone } from '../state/management-json.ts'

/** Reads a pull zone, including its allowed referrers (supplement). */
const getPullZone: Handler = ({ operation, context: { state, variants }, parameters }) => {
  const zone = state.zones.get(String(parameters['id']))
  if (!zone)
    return refuse(operation, 404, { key: 'pullZone.not_found', message: 'The pull zone does not exist.' }, variants)
  return json(200, showPullZone(zone, state.libraries.values(), variants))
}
export default getPullZone
