import { setTimeout as sleep } from 'node:timers/promises'
import { contracts, isStated, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { RunCredentials, UndoStep } from '../../core/check.ts'
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
 * @returns the reason of a failure, or undefined
 */
export async function performUndo(
  step: UndoStep,
  send: typeof fetch,
  credentials: RunCredentials,
  { attempts, pauseMs }: Patience,
): Promise<string | undefined> {
  let failure: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1))
    failure = await tryOnce(step, send, credentials)
    if (failure === undefined) return undefined
  }
  return `could not ${step.text}: ${failure}`
}

async function tryOnce(
  { method, url, headers, body }: UndoStep,
  send: typeof fetch,
  credentials: RunCredentials,
): Promise<string | undefined> {
  const [scheme] = contracts.management.schemes.filter(({ kind }) => kind === 'key')
  const credential = scheme ? { [scheme.header]: credentials.accessKey ?? '' } : {}
  try {
    const init = { method, headers: { ...headers, ...credential }, redirect: 'manual' as const }
    const response = await send(url, body === undefined ? init : { ...init, body })
    await response.body?.cancel()
    return isDone(method, url, response) ? undefined : `status ${response.status}`
  } catch (error) {
    return reasonOf(error)
  }
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
