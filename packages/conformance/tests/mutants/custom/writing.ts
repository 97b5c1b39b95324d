/** Parts of mutants of write operations. */
import type { Emulator } from '@cdn/emulator'
import { keepBody, withHeader } from '../alter.ts'
import { type Behaviour, on } from '../mutant.ts'
import { isForged } from '../operators/credentials.ts'

/** A response that reports success, regardless of what the platform did. */
export const done = { status: 204, headers: {}, body: null }

const minute = 60_000

/** Reverts a write a minute later. The revert happens on the next read. */
export function undoneLater(undo: (emulator: Emulator) => void): Behaviour {
  return (emulator) => {
    let changedAt: number | undefined
    return async (call, operation, next) => {
      const now = emulator.clock.now().getTime()
      if (changedAt !== undefined && now - changedAt >= minute) undo(emulator)
      const response = await next(call, operation)
      if (operation.effect !== 'read' && response.status < 300) changedAt = now
      return response
    }
  }
}

/** The credentials of a request. */
export interface SentCredentials {
  readonly key: string | null
  readonly bearer: string | undefined
}

/** Returns the kind of the credentials: `none`, `good`, or what is wrong with them. Scopes are not considered. */
export function credentialKind({ key, bearer }: SentCredentials, { state, fixtures }: Emulator): string {
  if (!key && !bearer) return 'none'
  if (bearer === fixtures.credentials.expired) return 'expired-token'
  if (bearer && isForged(bearer, fixtures.credentials.bearer))
    return bearer.endsWith('.') ? 'unsigned-token' : 'forged-token'
  return key && !state.keys.has(key) ? 'wrong-key' : 'good'
}

/** Refuses some credentials but performs the operation. */
export function refusedAndDone(
  name: string,
  applies: (sent: SentCredentials, emulator: Emulator) => boolean,
): Behaviour {
  return on([name], (emulator) => async (received, operation, next) => {
    const bearer = received.headers.get('Authorization')?.replace(/^Bearer /, '')
    if (!applies({ key: received.headers.get('AccessKey'), bearer }, emulator)) return next(received, operation)
    const call = keepBody(received)
    const refused = await next(call, operation)
    await next(withHeader(call, 'AccessKey', emulator.fixtures.credentials.accessKey), operation)
    return refused
  })
}
