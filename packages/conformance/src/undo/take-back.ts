import { setTimeout as sleep } from 'node:timers/promises'
import { contracts } from '@cdn/api/contract'
import type { Credentials, UndoStep } from '../check.ts'
import { reasonOf } from '../failure.ts'

/** How hard to try. */
export interface Patience {
  /** How often a step is tried. */
  readonly attempts: number
  /** Pause before the second attempt in milliseconds; it doubles with each. */
  readonly pauseMs: number
}

/**
 * Takes one write back.
 *
 * @param send how; it brings its own deadline
 * @returns why it could not be done; nothing where it was
 */
export async function takeBack(
  step: UndoStep,
  send: typeof fetch,
  credentials: Credentials,
  { attempts, pauseMs }: Patience,
): Promise<string | undefined> {
  let trouble: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1))
    trouble = await tryOnce(step, send, credentials)
    if (trouble === undefined) return undefined
  }
  return `could not ${step.text}: ${trouble}`
}

async function tryOnce(
  { method, url, headers, body }: UndoStep,
  send: typeof fetch,
  credentials: Credentials,
): Promise<string | undefined> {
  const [scheme] = contracts.management.schemes.filter(({ kind }) => kind === 'key')
  const credential = scheme ? { [scheme.header]: credentials.accessKey ?? '' } : {}
  try {
    const init = { method, headers: { ...headers, ...credential }, redirect: 'manual' as const }
    const response = await send(url, body === undefined ? init : { ...init, body })
    await response.body?.cancel()
    return isDone(method, response) ? undefined : `status ${response.status}`
  } catch (error) {
    return reasonOf(error)
  }
}

/** What was never added cannot be removed, and whatever is said of it is fine; what is put back must be taken. */
function isDone(method: string, { status, ok, headers }: Response): boolean {
  // A page is from something on the way, and says nothing of the platform.
  if (headers.get('content-type')?.includes('html')) return false
  return ok || (method !== 'PUT' && [400, 404].includes(status))
}
