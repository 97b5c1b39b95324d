/**
 * Rules about the status that follows from the request alone (§5, §7): its credential, a pull zone whose logs cannot be read, an invalid
 * query. One rule judges `Retry-After`, which no source states.
 */
import type { Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Fixtures } from '../exchange/check.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { oneStatus, refusal, value, wrong } from '../exchange/failure.ts'
import { invalidCredential } from '../exchange/invalid-credentials.ts'
import { contractLists, type Decides } from '../exchange/requirements.ts'
import { idParameterOf } from '../exchange/resources.ts'
import { isSuccess, isTruePause, seenStatus, statedPause } from '../exchange/response.ts'
import { credentialStatusOf, isFromLimiter, isInvalidQuery, type Rule, type RuleViolation } from './rule.ts'

const isLogging = ({ interface: of }: Operation) => of === 'logging'
const hasSchemes = ({ schemes }: Operation) => schemes.length > 0

function otherStatus({ response }: Exchange, expected: number): RuleViolation | undefined {
  return response.status === expected ? undefined : { expected: oneStatus([expected]), seen: seenStatus(response) }
}

/** Makes the rule of a pull zone whose logs cannot be read, for requests that are valid otherwise. */
function closed(decides: Decides, status: 403 | 404, fixture: keyof Omit<Fixtures, 'credentials'>): Rule {
  return {
    decides,
    of: isLogging,
    cases: [decides.slice('<operation>.'.length)],
    applies: (exchange, known) =>
      !isFromLimiter(exchange, known) &&
      known.fixtures[fixture] !== undefined &&
      exchange.path[idParameterOf(exchange.operation) ?? ''] === known.fixtures[fixture] &&
      credentialStatusOf(exchange, known) === 'sufficient' &&
      !isInvalidQuery(exchange),
    violation: (exchange) => otherStatus(exchange, status),
  }
}

export const statusRules: readonly Rule[] = [
  {
    decides: '<operation>.retry-after',
    of: ({ rateLimit }) => rateLimit !== undefined,
    cases: ['limited'],
    applies: ({ response }) => response.status === 429 && response.headers.has('retry-after'),
    violation: ({ operation: { rateLimit }, response, at }) => {
      const limit = assertDefined(rateLimit)
      const pause = statedPause(response, at)
      if (!pause || isTruePause(pause, limit)) return undefined
      return {
        expected: value(`a pause of at most ${limit.windowMs / 1_000} s`),
        seen: wrong('Retry-After states no pause from 0 to one window of the limit', {
          at: [{ path: 'Retry-After', text: response.headers.get('retry-after') ?? '' }],
        }),
      }
    },
  },
  {
    decides: ['<operation>.401-missing', '<interface>.authentication.missing'],
    of: hasSchemes,
    cases: ['no-credential'],
    applies: (exchange, known) => credentialStatusOf(exchange, known) === 'none' && !isFromLimiter(exchange, known),
    violation: (exchange) => otherStatus(exchange, 401), // §5, rule 6
  },
  {
    decides: '<interface>.authentication.invalid/<case>',
    of: (operation) => hasSchemes(operation) && isLogging(operation),
    cases: Object.keys(invalidCredential),
    applies: (exchange, known) => credentialStatusOf(exchange, known) === 'invalid' && !isFromLimiter(exchange, known),
    violation: (exchange) => otherStatus(exchange, 403), // §5, rule 6
  },
  {
    decides: '<operation>.401/<case>',
    of: (operation) =>
      hasSchemes(operation) && !isLogging(operation) && operation.responses.some(({ status }) => status === '401'),
    cases: Object.keys(invalidCredential),
    applies: (exchange, known) => credentialStatusOf(exchange, known) === 'invalid' && !isFromLimiter(exchange, known),
    violation: (exchange) => otherStatus(exchange, 401),
  },
  {
    // The spec names no status for this case, but it states which credential the operation takes (§5, rule 3).
    decides: ['<operation>.access-key/<case>', '<interface>.authentication.default/<case>'],
    of: (operation) =>
      hasSchemes(operation) && !isLogging(operation) && operation.source === 'spec' && !contractLists(operation, '401'),
    cases: Object.keys(invalidCredential),
    // A server error is not a deliberate refusal.
    applies: (exchange, known) => credentialStatusOf(exchange, known) === 'invalid' && exchange.response.status < 500,
    violation: ({ response }) =>
      isSuccess(response) ? { expected: refusal(), seen: seenStatus(response) } : undefined,
  },
  closed('<operation>.403-suspended', 403, 'suspendedZoneId'),
  closed('<operation>.403-disabled', 403, 'disabledZoneId'),
  closed('<operation>.404', 404, 'unloggedZoneId'),
  {
    decides: '<operation>.400',
    of: isLogging,
    cases: ['invalid-query'],
    applies: (exchange, known) =>
      !isFromLimiter(exchange, known) &&
      isInvalidQuery(exchange) &&
      credentialStatusOf(exchange, known) === 'sufficient' &&
      [known.fixtures.loggedZoneId, known.fixtures.otherLoggedZoneId].includes(
        exchange.path[idParameterOf(exchange.operation) ?? ''],
      ),
    violation: (exchange) => otherStatus(exchange, 400),
  },
]
