import { redactionFor } from '@cdn/api/batches'
import type { BatchSource } from './batch.ts'
import type { Privacy } from './privacy.ts'

/** A row that no sink can hold: its received text after the privacy rules. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/** Number of fields in a line of version 1 before the field with a visitor's credential (supplement). */
const harmlessFields = 14
const redact = redactionFor()

/** Creates the reject of a row that cannot be parsed. Masks everything that may be a credential. */
export function createReject(text: string, reason: string, source: BatchSource, privacy: Privacy): Reject {
  const scrubbed = privacy.scrub(text)
  if (!privacy.fields.has('authorizationHeader')) return { text: scrubbed, reason }
  const fields = scrubbed.split('|')
  const isLong = source === 'v1' && fields.length > harmlessFields
  const visible = isLong ? [...fields.slice(0, harmlessFields), '[redacted]'].join('|') : scrubbed
  return { text: redact(visible), reason }
}
