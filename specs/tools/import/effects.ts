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
 * Assumes the effect of an operation. It is cautious: a wrong `destructive` only causes a question, but a wrong `read` can
 * destroy data.
 *
 * @param responses the responses of the operation, with resolved references
 * @returns `destructive` for DELETE and for words such as close, reset, purge, remove; without such a word, `read` for HEAD, for
 *   OPTIONS, and for a GET whose success has a body; otherwise `write`
 */
export function effectOf(
  { method, path, operation }: ForeignOperation,
  responses: Json,
): 'read' | 'write' | 'destructive' {
  if (method === 'delete') return 'destructive'
  const literal = path.replaceAll(/\{[^{}]*\}/g, ' ')
  const isRead = method === 'get' || method === 'head' || method === 'options'
  // A read is often named after the things that it lists ("List purge requests"), so only its verbs count.
  const texts = [operation['summary'], operation['operationId'], isRead ? literal.split('/').at(-1) : literal]
  const words = texts.map((text) => wordsOf(String(text ?? '')))
  const telling = isRead
    ? [...words.flatMap(([first]) => first ?? []), ...verbOf(operation['operationId'])]
    : words.flat()
  if (telling.some((word) => destructive.has(word))) return 'destructive'
  return isRead && (method !== 'get' || hasContent(responses)) ? 'read' : 'write'
}

/**
 * Returns the first word of the last part of an operation id. The last part is used, because ids such as
 * `PurgePublic_IndexPost` and `pulls/merge` begin with the name of a group.
 */
function verbOf(operationId: unknown): string[] {
  const last = String(operationId ?? '')
    .split(/[_/.]/)
    .at(-1)
  return wordsOf(defined(last)).slice(0, 1)
}

/** Splits a text into words in lower case. The text can be prose, camel case, kebab case and so on. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spaced.toLowerCase().match(/[a-z]+/g) ?? []
}

/** Whether a successful response has a body. If the contract states no success, the result is false. */
function hasContent(responses: Json): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^2/.test(status))
  return successes.some(([, response]) => isRecord(response) && Object.keys(toRecord(response['content'])).length > 0)
}
