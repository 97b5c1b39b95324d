import { redactionFor } from '@cdn/api/batches'
import type { BatchSource } from './batch.ts'
import type { Privacy } from './privacy.ts'

/** A row that no sink can hold: the received text, with the privacy rules applied. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/** Number of fields in a line of version 1 (supplement) before the one with a visitor's credential. */
const harmlessFields = 14
const redact = redactionFor()

/** Creates the reject of an unparseable row: masks everything that may be a credential. */
export function createReject(text: string, reason: string, source: BatchSource, privacy: Privacy): Reject {
  const scrubbed = privacy.scrub(text)
  if (!privacy.fields.has('authorizationHeader')) return { text: scrubbed, reason }
  const fields = scrubbed.split('|')
  const isLong = source === 'v1' && fields.length > harmlessFields
  const visible = isLong ? [...fields.slice(0, harmlessFields), '[redacted]'].join('|') : scrubbed
  return { text: redact(visible), reason }
}
