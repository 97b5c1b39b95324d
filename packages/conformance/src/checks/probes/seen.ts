import type { ReceivedResponse } from '../../core/answer.ts'
import { type SeenSchema, schemaOf } from './schema.ts'

/** An answer as an observation: the status and the kind of the body. The body itself is not stored. */
export interface SeenAnswer {
  readonly status: number
  readonly body: 'empty' | 'JSON' | 'text'
  readonly schema?: SeenSchema
}

/** Reduces an answer to its status and the kind of its body. */
export function seenAnswer({ status, text }: ReceivedResponse): SeenAnswer {
  if (text === '') return { status, body: 'empty' }
  try {
    return { status, body: 'JSON', schema: schemaOf([JSON.parse(text)]) }
  } catch {
    return { status, body: 'text' }
  }
}

/** Returns the sorted names of the headers about rate limits or about the end of a version. */
export function tellingHeaders({ headers }: ReceivedResponse): string[] {
  return [...headers.keys()]
    .filter((name) => /(^|-)(retry-after|rate|ratelimit|limit|quota|deprecation|sunset)(-|$)/.test(name))
    .sort()
}
