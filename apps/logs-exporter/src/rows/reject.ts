import { redactionFor } from '@cdn/api/batches'
import type { Source } from './encoder.ts'
import type { Privacy } from './privacy.ts'

/** A row that no sink can hold, as it came, but for what the rules of privacy take out. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/** Fields of a line of version 1 (supplement) before the one that holds a visitor's credential. */
const harmlessFields = 14
const redact = redactionFor()

/** Keeps the text of a row that cannot be taken apart: whatever may be a credential in it is hidden. */
export function createReject(text: string, reason: string, source: Source, privacy: Privacy): Reject {
  const scrubbed = privacy.scrub(text)
  if (!privacy.fields.has('authorizationHeader')) return { text: scrubbed, reason }
  const fields = scrubbed.split('|')
  const isLong = source === 'v1' && fields.length > harmlessFields
  const kept = isLong ? [...fields.slice(0, harmlessFields), '[redacted]'].join('|') : scrubbed
  return { text: redact(kept), reason }
}
