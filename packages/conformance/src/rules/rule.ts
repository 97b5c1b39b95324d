import type { Operation } from '@cdn/api/contract'
import type { Decides } from '../requirements.ts'
import type { Fixtures } from '../run/check.ts'
import type { Exchange, SentRequest } from '../run/exchange.ts'
import { isOfGateway } from '../run/response.ts'

/** What is known of the target, whatever the exchange. */
export interface Known {
  readonly fixtures: Fixtures
}

/** How an exchange breaks a rule. `seen` is free of ids, times and random values, so that equal mistakes have equal texts. */
export interface Violation {
  readonly expected: string
  readonly seen: string
}

/** A judgement of one exchange, whoever sent it, and why. Both functions are pure. */
export interface Rule {
  /** `<case>` stands for the case whose exchanges decide. */
  readonly decides: Decides | readonly Decides[]
  readonly values?: Readonly<Record<string, string>>
  /** Whether the contract states the rule for an operation. */
  readonly of: (operation: Operation) => boolean
  /** Names of the cases that provoke exchanges about which the rule says something. */
  readonly cases: readonly string[]
  /** Whether the rule says something about an exchange. */
  readonly applies: (exchange: Exchange, known: Known) => boolean
  readonly violation: (exchange: Exchange, known: Known) => Violation | undefined
}

/** Judges an exchange. An error of a gateway, and a refusal by the rate limit, say nothing about most rules. */
export function judge(rule: Rule, exchange: Exchange, known: Known): Violation | undefined {
  const { operation, response, method } = exchange
  const isOfOperation = rule.of(operation) && method === operation.method.toUpperCase() && !isOfGateway(response)
  return isOfOperation && rule.applies(exchange, known) ? rule.violation(exchange, known) : undefined
}

/** What a credential of a request is worth: nothing, if a request has two of them, or one whose use the contract leaves open. */
export type Worth = 'none' | 'sufficient' | 'invalid' | 'open'

/** Returns what the credential of a request is worth (§5), according to the credentials of the fixtures. */
export function worthOf({ operation, headers }: SentRequest, { fixtures: { credentials } }: Known): Worth {
  const { accessKey, bearer, expired, byScope = {}, keyByScope = {}, noScope, noScopeKey } = credentials
  const [key, authorization] = [headers.get('AccessKey'), headers.get('Authorization')]
  if (key === null && authorization === null) return 'none'
  if (key !== null && authorization !== null) return 'open'
  const value = key ?? /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  if (value === undefined || !operation.schemes.includes(key === null ? 'bearer' : 'AccessKey')) return 'open'
  if (value === (key === null ? bearer : accessKey)) return 'sufficient'
  const scoped = key === null ? byScope : keyByScope
  if (operation.scopes.some((scope) => scoped[scope] === value)) return 'sufficient'
  const isKnown = [...Object.values(scoped), noScope, noScopeKey].includes(value)
  return isKnown && value !== expired ? 'open' : 'invalid'
}
