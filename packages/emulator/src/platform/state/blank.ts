import { type OpenApi, type Schema, sampleOf } from '@cdn/api/contract'
import { followReference } from '@cdn/kit/reference'

/**
 * Creates the plainest value that a schema permits: its default, null, false, the smallest number, an empty list, or an object with
 * all fields.
 *
 * @param api the document that the references of the schema point into
 * @param now the value of a date
 */
export function blankOf(schema: Schema, api: OpenApi, now: Date): unknown {
  const style = { host: 'sample.invalid', now, text: () => '', isBlank: true }
  return sampleOf(schema, (node) => followReference(api, node), style)
}
