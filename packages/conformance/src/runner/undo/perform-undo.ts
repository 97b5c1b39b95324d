import { setTimeout as sleep } from 'node:timers/promises'
import { contracts, isStated, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { UndoStep } from '../../core/check.ts'
import { reasonOf } from '../../core/failure.ts'

/** Attempts to perform an undo step, and the pauses between them. */
export interface Patience {
  /** Number of attempts per step. */
  readonly attempts: number
  /** Pause before the second attempt, in milliseconds. It doubles for each further attempt. */
  readonly pauseMs: number
}

/**
 * Undoes one write.
 *
 * @param send a fetch with its own deadline
 * @param accessKey API key of the run, which the request gets
 * @returns the reason of a failure, or undefined
 */
export async function performUndo(
  { text, method, url, headers, body }: UndoStep,
  send: typeof fetch,
  accessKey: string,
  { attempts, pauseMs }: Patience,
): Promise<string | undefined> {
  const { header } = defined(contracts.management.schemes.find(({ kind }) => kind === 'key'))
  const init = { method, headers: { ...headers, [header]: accessKey }, redirect: 'manual' as const, body: body ?? null }
  let failure: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1))
    try {
      const response = await send(url, init)
      await response.body?.cancel()
      if (isDone(method, url, response)) return undefined
      failure = `status ${response.status}`
    } catch (error) {
      failure = reasonOf(error)
    }
  }
  return `could not ${text}: ${failure}`
}

/** Ends of the URLs of operations that restore a value; every other undo removes one. */
const restoring = operations
  .filter(isStated)
  .filter(({ action }) => action.kind === 'add')
  .map(({ path }) => defined(path.split('/').at(-1)))

/**
 * Whether an undo had its effect. A removal may be refused, because the write may never have happened. A restore must be
 * accepted, except that the platform may refuse a value that is already there (unspecified).
 */
function isDone(method: string, url: string, { status, ok, headers }: Response): boolean {
  // An HTML page comes from a gateway and proves nothing about the platform.
  if (headers.get('content-type')?.includes('html')) return false
  if (ok || method === 'PUT') return ok
  return status === 400 || (status === 404 && !restoring.some((end) => url.endsWith(`/${end}`)))
}
