import { toExact } from '../http/json.ts'
import { json, refuse } from '../http/refuse.ts'
import type { Handler } from '../platform.ts'

/** Reads a library (supplement): how a caller sees whether the watermark is there. */
const getVideoLibrary: Handler = ({ operation, platform: { state, variants }, parameters }) => {
  const library = state.libraries.get(String(parameters['id']))
  if (!library)
    return refuse(
      operation,
      404,
      { key: 'videoLibrary.not_found', message: 'There is no such video library.' },
      variants,
    )
  return json(200, { Id: toExact(library.id), Name: library.name, HasWatermark: library.hasWatermark })
}
export default getVideoLibrary
