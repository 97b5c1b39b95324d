import { dayMs } from '@cdn/kit/time'
import type { RunCredentials } from '../core/check.ts'

/** If the remaining lifetime of a token is shorter than this, in ms, the user is notified. */
const soonMs = 7 * dayMs

/** Findings about the lifetime of the fixtures' bearer tokens. */
export interface TokenFindings {
  readonly problems: readonly string[]
  readonly notices: readonly string[]
}

/**
 * Compares the expiry of bearer tokens (JWT, §5) with the current time. A token with unreadable claims has no findings.
 *
 * @param now current time of the target's clock, in milliseconds since 1970
 */
export function tokenProblems({ bearer, noScope, byScope = {}, expired }: RunCredentials, now: number): TokenFindings {
  const problems: string[] = []
  const notices: string[] = []
  const tokens = {
    bearer,
    noScope,
    ...Object.fromEntries(Object.entries(byScope).map(([k, v]) => [`byScope.${k}`, v])),
  }
  for (const [name, token] of Object.entries(tokens)) {
    const expires = expiryOf(token)
    if (expires === undefined) continue
    const day = new Date(expires).toISOString().slice(0, 16)
    if (expires <= now)
      problems.push(`The token credentials.${name} expired at ${day}Z: store a new token in its environment variable.`)
    else if (expires < now + soonMs) notices.push(`The token credentials.${name} expires at ${day}Z.`)
  }
  const end = expiryOf(expired)
  if (end !== undefined && end > now)
    problems.push('The token credentials.expired is still valid: expected an expired token.')
  return { problems, notices }
}

/** Returns the `exp` claim of a JWT in milliseconds since 1970. */
function expiryOf(token: string | undefined): number | undefined {
  const claims = claimsOf(token)
  const seconds = claims?.['exp']
  return typeof seconds === 'number' && Math.abs(seconds) < 1e11 ? seconds * 1_000 : undefined
}

/** Returns the claims of a JWT without verifying the signature; undefined if the token is not a JWT. */
export function claimsOf(token: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
    return typeof claims === 'object' && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}
