import { isStated, operations, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { fixturesOf } from '../../checks/resources.ts'
import { isUndoable } from '../../checks/state/requests.ts'
import { bodyTypeOf } from '../../core/call.ts'
import type { Fixtures, UndoStep } from '../../core/check.ts'
import { parseOrUndefined } from '../../core/read-json.ts'
import { urlBelow } from '../../core/requested-operation.ts'

/**
 * Returns the request of a journal's step as the suite itself would send it: one of its writes, to a resource of the
 * fixtures that it writes to, with its own headers. A journal may come from elsewhere, and its steps get the run's key.
 *
 * @param management base URL of the management interface
 * @returns undefined if the suite never writes such a step
 */
export function acceptedStep(step: UndoStep, management: string, fixtures: Fixtures): UndoStep | undefined {
  for (const operation of operations.filter(isStated).filter(isUndoable)) {
    const isTarget = fixturesOf(operation.resource)?.own.some((name) => {
      const id = fixtures[name]
      if (id === undefined) return false
      const path = operation.path.replace(/\{[^{}]+\}/, encodeURIComponent(id))
      return step.url === urlBelow(new URL(management), path).href
    })
    if (!isTarget || step.method !== operation.method.toUpperCase()) continue
    const { text, method, url } = step
    const mediaType = bodyTypeOf(operation)
    if (mediaType === undefined) return step.body === undefined ? { text, method, url, headers: {} } : undefined
    const isBytes = step.body !== undefined && typeof step.body !== 'string'
    const body = mediaType.includes('json') ? valueBody(operation, step.body) : isBytes ? step.body : undefined
    return body === undefined ? undefined : { text, method, url, headers: { 'Content-Type': mediaType }, body }
  }
  return undefined
}

/** Returns a body that holds nothing but the text to add or to remove. */
function valueBody({ action }: StatedOperation, body: UndoStep['body']): string | undefined {
  if (typeof body !== 'string' || !('value' in action)) return undefined
  const parsed = toRecord(parseOrUndefined(body))
  const value = parsed[action.value]
  const isAlone = Object.keys(parsed).length === 1 && typeof value === 'string'
  return isAlone ? JSON.stringify({ [action.value]: value }) : undefined
}
