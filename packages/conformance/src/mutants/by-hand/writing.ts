/** What careless writes have in common. */
import type { Emulator } from '@cdn/emulator'
import { keepBody, withHeader } from '../alter.ts'
import { type Behaviour, on } from '../mutant.ts'

/** A success, whatever was done. */
export const done = { status: 204, headers: {}, body: null }

const minute = 60_000

/** Whatever a write did is undone a minute later, seen at the next read. */
export function undoneLater(undo: (emulator: Emulator) => void): Behaviour {
  return (emulator) => {
    let changedAt: number | undefined
    return async (call, operation, next) => {
      const now = emulator.clock.now().getTime()
      if (changedAt !== undefined && now - changedAt >= minute) undo(emulator)
      const answer = await next(call, operation)
      if (operation.effect !== 'read' && answer.status < 300) changedAt = now
      return answer
    }
  }
}

/** What a request carries as credentials. */
export interface Sent {
  readonly key: string | null
  readonly bearer: string | undefined
}

/** Names what is wrong with credentials. */
export function credentialKind({ key, bearer }: Sent, { state, fixtures }: Emulator): string {
  if (!key && !bearer) return 'none'
  if (bearer === fixtures.credentials.expired) return 'expired-token'
  return key && !state.keys.has(key) ? 'wrong-key' : 'good'
}

/** Some credentials are refused, and the operation is performed all the same. */
export function refusedAndDone(name: string, applies: (sent: Sent, emulator: Emulator) => boolean): Behaviour {
  return on([name], (emulator) => async (received, operation, next) => {
    const bearer = received.headers.get('Authorization')?.replace(/^Bearer /, '')
    if (!applies({ key: received.headers.get('AccessKey'), bearer }, emulator)) return next(received, operation)
    const call = keepBody(received)
    const refused = await next(call, operation)
    await next(withHeader(call, 'AccessKey', emulator.fixtures.credentials.accessKey), operation)
    return refused
  })
}
