import type { Operation } from '@cdn/api/contract'
import type { EmulatorResponse } from '../exchange/messages.ts'
import type { ParameterValue } from '../exchange/parameters.ts'
import type { RequestLimiter } from '../exchange/rate-limit.ts'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorClock } from './clock.ts'
import type { State } from './state/state.ts'
import type { Issuer } from './token-issuer.ts'
import type { Random } from './traffic/random.ts'

/** Everything that an operation can read or change. */
export interface EmulatorContext {
  readonly state: State
  readonly clock: EmulatorClock
  readonly variants: Variants
  readonly limiter: RequestLimiter
  readonly issuer: Issuer
  /** Random numbers for details that differ between requests, such as the order of ties. */
  readonly random: Random
}

/** A request that has passed the checks of credentials, limits, parameters and body. */
export interface HandlerRequest {
  readonly operation: Operation
  readonly context: EmulatorContext
  /** Path and query parameters by name, converted to the types of the contract. */
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>
  /** A valid JSON value, bytes, or undefined if the operation has no request body, or an optional one was omitted. */
  readonly body: unknown
  /** Time at which the request arrived, in milliseconds. */
  readonly now: number
}

/** The implementation of an operation whose effect the contract does not state. Its file in `handlers/` has the `x-name` as its name. */
export type Handler = (exchange: HandlerRequest) => EmulatorResponse | Promise<EmulatorResponse>
