import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import type { Json } from './json.ts'
import type { ForeignOperation } from './operations.ts'

/** Words of operations that delete something or revoke access. */
const destructive = new Set(
  `cancel clean cleanup clear close deactivate delete destroy detach disable disconnect drop empty erase evict expire flush
  invalidate kill prune purge regenerate reject release remove replace reset restore revert revoke rollback rotate shutdown
  stop suspend terminate truncate uninstall unlink unpublish unsubscribe wipe withdraw`.split(/\s+/),
)

/**
 * Assumes the effect of an operation, with caution: a wrong `destructive` costs a question, a wrong `read` costs
 * data.
 *
 * @param responses its responses, with resolved references
 * @returns `destructive` for DELETE and for words such as close, reset, purge, remove; `read` for a GET without such
 *   a word that answers with content; otherwise `write`
 */
export function effectOf(
  { method, path, operation }: ForeignOperation,
  responses: Json,
): 'read' | 'write' | 'destructive' {
  if (method === 'delete') return 'destructive'
  const literal = path.replaceAll(/\{[^}]*\}/g, ' ')
  const isRead = method === 'get' || method === 'head' || method === 'options'
  // A read is often named after the things that it lists ("List purge requests"), so only its verbs count.
  const texts = [operation['summary'], operation['operationId'], isRead ? literal.split('/').at(-1) : literal]
  const words = texts.map((text) => wordsOf(String(text ?? '')))
  const looksDestructive = isRead
    ? words.some(([first = '']) => destructive.has(first)) || verbOf(operation['operationId']).some(isDestructive)
    : words.flat().some(isDestructive)
  if (looksDestructive) return 'destructive'
  return isRead && (method !== 'get' || answersWithContent(responses)) ? 'read' : 'write'
}

const isDestructive = (word: string) => destructive.has(word)

/**
 * The first word of the last part of an operation id, because ids such as `PurgePublic_IndexPost` and `pulls/merge`
 * begin with a group.
 */
function verbOf(operationId: unknown): string[] {
  const last = String(operationId ?? '')
    .split(/[_/.]/)
    .at(-1)
  return wordsOf(defined(last)).slice(0, 1)
}

/** The words of a text in any case style, in lower case. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spaced.toLowerCase().match(/[a-z]+/g) ?? []
}

/** Whether a success has a body. A GET without a stated success has none. */
function answersWithContent(responses: Json): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^2/.test(status))
  return successes.some(([, response]) => isRecord(response) && Object.keys(toRecord(response['content'])).length > 0)
}
