import type { Operation } from '@cdn/api/contract'
import type { Clock } from './clock.ts'
import type { Answer } from './http/call.ts'
import type { ParameterValue } from './http/parameters.ts'
import type { Limiter } from './http/rate-limit.ts'
import type { Issuer } from './issuer.ts'
import type { State } from './state/state.ts'
import type { Random } from './traffic/random.ts'
import type { Variants } from './variants.ts'

/** Everything that an operation can look at or change. */
export interface Platform {
  readonly state: State
  readonly clock: Clock
  readonly variants: Variants
  readonly limiter: Limiter
  readonly issuer: Issuer
  /** For whatever differs from request to request, such as the order of ties. */
  readonly random: Random
}

/** A request that has passed credentials, limits and validation. */
export interface Exchange {
  readonly operation: Operation
  readonly platform: Platform
  /** Path and query parameters by name, of the type that the contract gives them. */
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>
  /** A JSON value that fits its schema, bytes, or undefined where the operation takes no body. */
  readonly body: unknown
  /** Time of the request in milliseconds; the same wherever it is asked for during the request. */
  readonly now: number
}

/** What an operation does: one file of `handlers/`, named by the operation's `x-name`. */
export type Handler = (exchange: Exchange) => Answer
