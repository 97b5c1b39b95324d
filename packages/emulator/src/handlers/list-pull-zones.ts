import type { Handler } from '../handler.ts'
import { listResponse } from '../http/list.ts'
import { showPullZone } from '../state/management-json.ts'

/** Lists the pull zones of the account (supplement). */
const listPullZones: Handler = (exchange) => {
  const { state, variants } = exchange.context
  return listResponse(state.zones.values(), (zone) => showPullZone(zone, state.libraries.values(), variants), exchange)
}
export default listPullZones
