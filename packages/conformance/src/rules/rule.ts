import type { Operation } from '@cdn/api/contract'
import type { Fixtures, RunCredentials } from '../exchange/check.ts'
import type { Exchange, SentRequest } from '../exchange/exchange.ts'
import type { Expected, Seen } from '../exchange/failure.ts'
import type { Decides } from '../exchange/requirements.ts'
import { isOfGateway } from '../exchange/response.ts'

/** Facts about the target that do not depend on an exchange. */
export interface Known {
  readonly fixtures: Fixtures
}

/** How an exchange breaks a rule. */
export interface Violation {
  readonly expected: Expected
  readonly seen: Seen
}

/** A judgement of one exchange, whichever check sent it. All functions are pure. */
export interface Rule {
  /** Pattern of the id that the rule decides, or several as in `Decision`. `<case>` stands for the name of the case that is sent. */
  readonly decides: Decides | readonly Decides[]
  readonly values?: Readonly<Record<string, string>>
  /** Whether the contract states the rule for an operation. */
  readonly of: (operation: Operation) => boolean
  /** Names of the cases whose exchanges the rule judges. */
  readonly cases: readonly string[]
  /** Whether the rule judges an exchange. */
  readonly applies: (exchange: Exchange, known: Known) => boolean
  readonly violation: (exchange: Exchange, known: Known) => Violation | undefined
}

/** Whether each parameter occurs once, with a value that is valid UTF-8 and not empty. The meaning of other queries is unspecified. */
export function isPlain(query: URLSearchParams): boolean {
  const values = [...query.values()]
  return (
    new Set(query.keys()).size === values.length && values.every((value) => value !== '' && !value.includes('\ufffd'))
  )
}

/** Statuses of the HTTP layer for a request that is too long. They say nothing about the platform, unless the contract lists them. */
const tooLong = [413, 414, 431]

/**
 * Returns how an exchange breaks a rule; undefined if it does not. An error of a gateway, a request with another method than that of
 * the operation, and a `tooLong` status that the contract does not list break no rule.
 */
export function judge(rule: Rule, exchange: Exchange, known: Known): Violation | undefined {
  const { operation, response, method } = exchange
  const isOfHttp =
    tooLong.includes(response.status) && !operation.responses.some(({ status }) => status === `${response.status}`)
  const isOfOperation = method === operation.method.toUpperCase() && !isOfGateway(response) && !isOfHttp
  return isOfOperation && rule.of(operation) && rule.applies(exchange, known)
    ? rule.violation(exchange, known)
    : undefined
}

/** Whether the credential of a request is sufficient. `none`: there is no credential. `open`: the contract does not decide it. */
export type Worth = 'none' | 'sufficient' | 'invalid' | 'open'

/**
 * Rates the credential of a request (§5) by the credentials of the fixtures. Two credentials are `invalid` if both are, and
 * `open` otherwise.
 */
export function worthOf({ operation, headers }: SentRequest, { fixtures }: Known): Worth {
  const [key, authorization] = [headers.get('AccessKey'), headers.get('Authorization')]
  const token = authorization === null ? null : (/^Bearer (.+)$/.exec(authorization)?.[1] ?? '')
  const each = [
    ...(key === null ? [] : [worthOfOne(operation, 'AccessKey', key, fixtures.credentials)]),
    ...(token === null ? [] : [worthOfOne(operation, 'bearer', token, fixtures.credentials)]),
  ]
  const [first = 'none', second = first] = each
  return first === second && (each.length < 2 || first === 'invalid') ? first : 'open'
}

function worthOfOne(
  { schemes, scopes }: Operation,
  scheme: 'AccessKey' | 'bearer',
  value: string,
  { accessKey, bearer, expired, byScope = {}, keyByScope = {}, noScope, noScopeKey }: RunCredentials,
): Worth {
  if (value === '' || !schemes.includes(scheme)) return 'open'
  const [whole, scoped] = scheme === 'bearer' ? [bearer, byScope] : [accessKey, keyByScope]
  if (value === whole || scopes.some((scope) => scoped[scope] === value)) return 'sufficient'
  const isKnown = [...Object.values(scoped), noScope, noScopeKey].includes(value)
  return isKnown && value !== expired ? 'open' : 'invalid'
}
