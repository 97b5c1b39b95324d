import { empty, refuse } from '../http/refuse.ts'
import type { Handler } from '../platform.ts'

/** Sets the watermark of a library (supplement). The image is not looked at: no read gives it back. */
const putWatermark: Handler = ({ operation, platform: { state, variants }, parameters, body }) => {
  const library = state.libraries.get(String(parameters['id']))
  if (!library)
    return refuse(
      operation,
      404,
      { key: 'videoLibrary.not_found', message: 'There is no such video library.' },
      variants,
    )
  if (body instanceof Uint8Array && body.length > variants.watermarkLimit)
    return refuse(operation, 413, { message: `A watermark has at most ${variants.watermarkLimit} bytes.` }, variants)
  library.hasWatermark = true
  return empty(204)
}
export default putWatermark
