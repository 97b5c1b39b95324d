import type { Answer } from '../answer.ts'
import { type SeenSchema, schemaOf } from './schema.ts'

/** An answer as an observation: its status, and its body by kind alone, so that no text of a target is kept. */
export interface SeenAnswer {
  readonly status: number
  readonly body: 'empty' | 'JSON' | 'text'
  readonly schema?: SeenSchema
}

/** Makes the observation of an answer. */
export function seenAnswer({ status, text }: Answer): SeenAnswer {
  if (text === '') return { status, body: 'empty' }
  try {
    return { status, body: 'JSON', schema: schemaOf([JSON.parse(text)]) }
  } catch {
    return { status, body: 'text' }
  }
}

/** Names of headers that tell a caller about limits or about the end of a version, in order. */
export function tellingHeaders({ headers }: Answer): string[] {
  return [...headers.keys()].filter((name) => /retry-after|rate|limit|quota|deprecat|sunset/.test(name)).sort()
}
