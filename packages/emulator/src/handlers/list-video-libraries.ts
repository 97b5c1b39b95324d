import type { Handler } from '../handler.ts'
import { listResponse } from '../http/list.ts'
import { showVideoLibrary } from '../state/management-json.ts'

/** Lists the video libraries of the account (supplement). */
const listVideoLibraries: Handler = (exchange) =>
  listResponse(exchange.context.state.libraries.values(), showVideoLibrary, exchange)
export default listVideoLibraries
