import { contracts, type Operation, operations, plainSchema, type Schema } from '@cdn/api/contract'
import { createValidators } from '@cdn/kit/contract-validator'
import type { Fixtures, RunCredentials } from '../exchange/check.ts'
import type { Exchange, SentRequest } from '../exchange/exchange.ts'
import type { Expected, Seen } from '../exchange/failure.ts'
import type { Decides } from '../exchange/requirements.ts'
import { idParameterOf } from '../exchange/resources.ts'
import { isOfGateway } from '../exchange/response.ts'
import { resolverOf } from '../exchange/schema-example.ts'
import { carriesCode } from '../exchange/validate-response.ts'

/** Facts about the target that do not depend on an exchange. */
export interface TargetFacts {
  readonly fixtures: Fixtures
}

export interface RuleViolation {
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
  readonly applies: (exchange: Exchange, known: TargetFacts) => boolean
  readonly violation: (exchange: Exchange, known: TargetFacts) => RuleViolation | undefined
}

/** Whether each parameter occurs once, with a value that is valid UTF-8 and not empty. The meaning of other queries is unspecified. */
export function isPlainQuery(query: URLSearchParams): boolean {
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
export function applyRule(rule: Rule, exchange: Exchange, known: TargetFacts): RuleViolation | undefined {
  const { operation, response, method } = exchange
  const isOfHttp =
    tooLong.includes(response.status) && !operation.responses.some(({ status }) => status === `${response.status}`)
  const isOfOperation = method === operation.method.toUpperCase() && !isOfGateway(response) && !isOfHttp
  return isOfOperation && rule.of(operation) && rule.applies(exchange, known)
    ? rule.violation(exchange, known)
    : undefined
}

/** Whether the credential of a request is sufficient. `none`: there is no credential. `open`: the contract does not decide it. */
export type CredentialStatus = 'none' | 'sufficient' | 'invalid' | 'open'

/**
 * Rates the credential of a request (§5) by the credentials of the fixtures. Two credentials are `invalid` if both are, and
 * `open` otherwise.
 */
export function credentialStatusOf({ operation, headers }: SentRequest, { fixtures }: TargetFacts): CredentialStatus {
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
): CredentialStatus {
  if (value === '' || !schemes.includes(scheme)) return 'open'
  const [whole, scoped] = scheme === 'bearer' ? [bearer, byScope] : [accessKey, keyByScope]
  if (value === whole || scopes.some((scope) => scoped[scope] === value)) return 'sufficient'
  const isKnown = [...Object.values(scoped), noScope, noScopeKey].includes(value)
  return isKnown && value !== expired ? 'open' : 'invalid'
}

const validatorOf = createValidators(false)

/** Returns a test of a parameter's values. The test accepts every form of a number, such as 1e1, because the form is unspecified. */
function testOf(operation: Operation, stated: Schema): (value: string) => boolean {
  const schema = plainSchema(stated, resolverOf(operation))
  if (schema.type === 'integer' || schema.type === 'number') return (value) => !Number.isNaN(Number(value))
  if (schema.type === 'boolean') return (value) => value === 'true' || value === 'false'
  if (schema.format === 'date-time') return (value) => !Number.isNaN(Date.parse(value))
  return (value) => validatorOf(schema, contracts[operation.interface].openapi.full)(value)
}

const queryTests = new Map(
  operations.map((operation) => {
    const parameters = operation.parameters.filter(({ in: place }) => place === 'query')
    return [operation, new Map(parameters.map(({ name, schema }) => [name, testOf(operation, schema)]))]
  }),
)

/**
 * Whether a plain query has a parameter with a value of a wrong type, format or enum. Bounds of numbers do not count: only the
 * supplement states them, and a server may lower a limit.
 */
export function isInvalidQuery({ operation, query }: Exchange): boolean {
  const tests = queryTests.get(operation)
  return isPlainQuery(query) && [...query].some(([name, value]) => tests?.get(name)?.(value) === false)
}

/**
 * Whether the rate limiter sent the response: a 429, or, to a valid request with a sufficient credential, a 401, a 403 or an error with the
 * code of a 429. Such a response says nothing about credentials, pull zones and queries.
 */
export function isFromLimiter(exchange: Exchange, known: TargetFacts): boolean {
  const { operation, response, path } = exchange
  const { status } = response
  if (status === 429) return true
  const code = operation.responses.find((each) => each.status === '429')?.errorCode
  const hasCode = status >= 400 && code !== undefined && carriesCode(response, code)
  const { loggedZoneId, otherLoggedZoneId } = known.fixtures
  return (
    (status === 401 || status === 403 || hasCode) &&
    operation.rateLimit !== undefined &&
    [loggedZoneId, otherLoggedZoneId].includes(path[idParameterOf(operation) ?? '']) &&
    credentialStatusOf(exchange, known) === 'sufficient' &&
    !isInvalidQuery(exchange)
  )
}
