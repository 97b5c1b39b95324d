import type { Handler } from '../handler.ts'
import { empty, refuse } from '../http/refuse.ts'

/** Sets the watermark of a library (supplement). The image is not stored, because no operation returns it. */
const putWatermark: Handler = ({ operation, context: { state, variants }, parameters, body }) => {
  const library = state.libraries.get(String(parameters['id']))
  if (!library)
    return refuse(
      operation,
      404,
      { key: 'videoLibrary.not_found', message: 'The video library does not exist.' },
      variants,
    )
  if (ArrayBuffer.isView(body) && body.byteLength > variants.watermarkLimit)
    return refuse(operation, 413, { message: `A watermark has at most ${variants.watermarkLimit} bytes.` }, variants)
  library.hasWatermark = true
  return empty(204)
}
export default putWatermark
