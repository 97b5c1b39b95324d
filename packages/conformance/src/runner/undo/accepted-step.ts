import { isRecord } from '@cdn/kit/record'
import { operationOf, resourceOf } from '../../checks/resources.ts'
import { writes } from '../../checks/writes.ts'
import { bodyTypeOf } from '../../core/call.ts'
import type { Fixtures, UndoStep } from '../../core/check.ts'
import { urlBelow } from '../../core/requested-operation.ts'

/** Fixtures beside that of the area that the suite writes to. */
const furtherFixtures = { libraryId: ['distantLibraryId'] } as const

/**
 * Returns the request of a journal's step as the suite itself would send it: one of its writes, to a resource of the
 * fixtures that it writes to, with its own headers. A journal may come from elsewhere, and its steps get the run's key.
 *
 * @param management base URL of the management interface
 * @returns undefined if the suite never writes such a step
 */
export function acceptedStep(step: UndoStep, management: string, fixtures: Fixtures): UndoStep | undefined {
  for (const operation of Object.keys(writes).map(operationOf)) {
    const present = resourceOf(operation)?.present
    const names = present === 'libraryId' ? [present, ...furtherFixtures[present]] : present ? [present] : []
    const isTarget = names.some((name) => {
      const id = fixtures[name]
      if (id === undefined) return false
      const path = operation.path.replace('{id}', encodeURIComponent(id))
      return step.url === urlBelow(new URL(management), path).href
    })
    if (!isTarget || step.method !== operation.method.toUpperCase()) continue
    const mediaType = bodyTypeOf(operation)
    const { text, method, url } = step
    if (mediaType === undefined) return step.body === undefined ? { text, method, url, headers: {} } : undefined
    const body = mediaType.includes('json') ? hostnameBody(step.body) : bytesOf(step.body)
    return body === undefined ? undefined : { text, method, url, headers: { 'Content-Type': mediaType }, body }
  }
  return undefined
}

function bytesOf(body: UndoStep['body']): UndoStep['body'] {
  return typeof body === 'string' ? undefined : body
}

function hostnameBody(body: UndoStep['body']): string | undefined {
  if (typeof body !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(body)
    if (!isRecord(value) || Object.keys(value).length !== 1) return undefined
    const { Hostname } = value
    return typeof Hostname === 'string' ? JSON.stringify({ Hostname }) : undefined
  } catch {
    return undefined
  }
}
