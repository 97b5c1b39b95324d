import type { Handler } from '../handler.ts'
import { json, refuse } from '../http/refuse.ts'
import { showVideoLibrary } from '../state/management-json.ts'

/** Reads a library, including whether it has a watermark (supplement). */
const getVideoLibrary: Handler = ({ operation, context: { state, variants }, parameters }) => {
  const library = state.libraries.get(String(parameters['id']))
  if (!library)
    return refuse(
      operation,
      404,
      { key: 'videoLibrary.not_found', message: 'The video library does not exist.' },
      variants,
    )
  return json(200, showVideoLibrary(library))
}
export default getVideoLibrary
