import type { Handler } from '../handler.ts'
import { empty, refuse } from '../http/refuse.ts'

/** Deletes the watermark of a library (§4.1). */
const deleteWatermark: Handler = ({ operation, context: { state, variants }, parameters }) => {
  const library = state.libraries.get(String(parameters['id']))
  if (!library)
    return refuse(
      operation,
      404,
      { key: 'videoLibrary.not_found', message: 'The video library does not exist.' },
      variants,
    )
  if (!library.hasWatermark && variants.deleteAbsentWatermark === 404)
    return refuse(operation, 404, { key: 'watermark.not_found', message: 'The library has no watermark.' }, variants)
  library.hasWatermark = false
  return empty(204)
}
export default deleteWatermark
