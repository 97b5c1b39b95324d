/** Rules about the body and the headers of a response (§2, §4, §7). */

import { type Operation, operations } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/letter-case'
import { isRecord, toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import type { Exchange, ReceivedResponse } from '../exchange/exchange.ts'
import { value, wrong } from '../exchange/failure.ts'
import { contractLists } from '../exchange/requirements.ts'
import { fixturesOfOperation, idParameterOf } from '../exchange/resources.ts'
import { isSuccess, parseBody, placesIn, seenStatus } from '../exchange/response.ts'
import { carriesCode, validateBody } from '../exchange/validate-response.ts'
import { isFromLimiter, isPlainQuery, type Rule, type RuleViolation, type TargetFacts } from './rule.ts'

const isOf =
  (...names: readonly string[]) =>
  ({ name }: Operation) =>
    names.includes(name)

const succeeded = ({ response }: Exchange) => isSuccess(response)

function hasJson({ responses }: Operation): boolean {
  const success = responses.find(({ status }) => status.startsWith('2') && status !== '2XX')
  return Object.keys(success?.content ?? {}).some((type) => type.includes('json'))
}

/** Whether the range of a query ends within the last 24 hours, so that a default `from` is within the retention (supplement). */
function isOfLastDay({ query, at }: Exchange): boolean {
  const ageMs = at.getTime() - Date.parse(query.get('to') ?? '')
  return ageMs >= 0 && ageMs <= dayMs
}

const errorFields = ['ErrorKey', 'Field', 'Message'] as const

/** Whether an operation belongs to an area of the management interface with fixtures. */
const isManaged = (operation: Operation) =>
  operation.interface === 'management' && fixturesOfOperation(operation) !== undefined

type ErrorBody = Readonly<Record<string, unknown>>

/**
 * Makes a rule about the body of an error, which must be a JSON object. The rule does not apply to a response of the rate limiter, to an
 * object for which `isRight` returns undefined, or to an empty body (unless the rule decides `error-body`).
 */
function errorBody(
  decides: Rule['decides'],
  expected: string,
  isRight: (body: ErrorBody) => boolean | undefined,
): Rule {
  const isWhole = decides === '<operation>.error-body'
  return {
    decides,
    of: (operation) => isManaged(operation) && (!isWhole || contractLists(operation, 'error-body')),
    cases: ['refusals'],
    applies: (exchange, known) => {
      const { response } = exchange
      const { status, text } = response
      if (status < 400 || isFromLimiter(exchange, known) || (text === '' && !isWhole)) return false
      const body = parseBody(response)
      return !isRecord(body) || isRight(body) !== undefined
    },
    violation: ({ response }) => {
      const body = parseBody(response)
      const isValid = isRecord(body) && isRight(body) === true
      return isValid ? undefined : { expected: value(expected), seen: seenStatus(response) }
    },
  }
}

const casesOfStatus: Readonly<Record<string, readonly string[]>> = {
  '400': ['invalid-query'],
  '401': ['no-credential'],
  '403': ['403-suspended', '403-disabled'],
  '404': ['404'],
  '429': ['limited'],
}

/** Returns the error code that a response must carry. The code of a 404 is specified only for a pull zone without logs (§7). */
function codeFor(exchange: Exchange, known: TargetFacts): string | undefined {
  const { operation, path, response } = exchange
  const { status } = response
  const isOfOther = status === 404 && path[idParameterOf(operation) ?? ''] !== known.fixtures.unloggedZoneId
  const isUnknown = isOfOther || (status !== 429 && isFromLimiter(exchange, known))
  return isUnknown ? undefined : operation.responses.find((each) => each.status === `${status}`)?.errorCode
}

/** The error code of each status in `casesOfStatus`. */
const coded = new Map(
  operations.flatMap(({ responses }) =>
    responses.flatMap(({ status, errorCode }) =>
      errorCode && casesOfStatus[status] ? [[status, errorCode] as const] : [],
    ),
  ),
)

const codeRules = [...coded].map(
  ([status, code]): Rule => ({
    decides: '<interface>.errors.<code>/<case>',
    values: { code: code.replaceAll('_', '-') },
    of: ({ responses }) => responses.some((each) => each.status === status && each.errorCode === code),
    cases: casesOfStatus[status] ?? [],
    applies: (exchange, known) => codeFor(exchange, known) === code,
    violation: ({ response }) =>
      carriesCode(response, code)
        ? undefined
        : { expected: value(`the code ${code} in the response`), seen: seenStatus(response) },
  }),
)

/**
 * Returns a violation if the body is cut off or is not UTF-8, if a JSON body begins with a byte order mark, or if a body without a content
 * or transfer coding has another length than Content-Length states.
 */
function bytesViolation(response: ReceivedResponse): RuleViolation | undefined {
  const { headers, raw } = response
  if (raw?.isWhole === false)
    return { expected: value('a content coding with its end'), seen: wrong('the body is cut off') }
  if (raw?.hasMark && parseBody(response) !== undefined)
    return {
      expected: value('a JSON body without a byte order mark (RFC 8259 §8.1)'),
      seen: wrong('the JSON body begins with a byte order mark'),
    }
  // If the type states another charset, the rule about the type judges the body.
  if (raw?.isUtf8 === false && isUtf8(charsetOf(headers)))
    return { expected: value('a body in UTF-8'), seen: wrong('the body is not UTF-8') }
  const length = headers.get('content-length')
  const isCoded = headers.has('content-encoding') || headers.has('transfer-encoding')
  return length !== null && !isCoded && Number(length) !== raw?.length
    ? {
        expected: value('as many bytes as Content-Length states'),
        seen: wrong('the body is not as long as its Content-Length states', {
          text: `${raw?.length} bytes`,
          at: [{ path: 'Content-Length', text: length }],
        }),
      }
    : undefined
}

function charsetOf(headers: Headers): string {
  return /charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'
}

function isUtf8(charset: string): boolean {
  return /^utf-?8$/i.test(charset)
}

/**
 * Returns a violation if the content type states another charset than UTF-8 for a body beyond ASCII, or another type than JSON for an error
 * whose body is a JSON object.
 */
function typeViolation(response: ReceivedResponse): RuleViolation | undefined {
  const { headers, status, text } = response
  const type = headers.get('content-type') ?? ''
  if (!isUtf8(charsetOf(headers)) && !/^\p{ASCII}*$/u.test(text))
    return {
      expected: value('the charset of the body in its type'),
      seen: wrong('the Content-Type states another charset than that of the body', {
        at: [{ path: 'Content-Type', text: type }],
      }),
    }
  // The type of a success is judged only by the rule `json`, and only for `query-logs`.
  return status >= 400 && type !== '' && !/json/i.test(type) && isRecord(parseBody(response))
    ? {
        expected: value('a JSON content type of a JSON body'),
        seen: wrong('the Content-Type of a JSON body is not JSON', { at: [{ path: 'Content-Type', text: type }] }),
      }
    : undefined
}

/** Whether an id in a path is that of an item of the fixtures. */
function isOfFixtures({ path, operation }: Exchange, { fixtures }: TargetFacts): boolean {
  const { own = [], others = [] } = fixturesOfOperation(operation) ?? {}
  const id = path[idParameterOf(operation) ?? '']
  return [...own, ...others].some((name) => fixtures[name] === id && id !== undefined)
}

/** The id that the item in a body shows. A number beyond 2^53 keeps its digits. */
const idIn = ({ operation, response }: Exchange) => toRecord(parseBody(response))[operation.resource?.id ?? '']

export const bodyRules: readonly Rule[] = [
  {
    decides: '<operation>.id/answered',
    of: ({ action, resource, path }) => action?.kind === 'read' && resource?.id !== undefined && path.includes('{'),
    cases: ['each-id'],
    applies: (exchange, known) => succeeded(exchange) && isOfFixtures(exchange, known) && idIn(exchange) !== undefined,
    violation: (exchange) => {
      const { operation, path, response } = exchange
      const id = path[idParameterOf(operation) ?? '']
      if (String(idIn(exchange)) === id) return undefined
      const at = placesIn(response, operation.resource?.id ?? '')
      return {
        expected: value(`the item ${id}`),
        seen: wrong('a response shows another item than the requested one', { at }),
      }
    },
  },
  {
    decides: '<operation>.body',
    of: hasJson,
    cases: ['valid'],
    applies: succeeded,
    violation: ({ operation, response }) => {
      const problem = validateBody(operation, response)
      return problem && { expected: value('a body that matches its schema'), seen: problem }
    },
  },
  {
    decides: '<operation>.json',
    of: isOf('query-logs'),
    cases: ['valid'],
    applies: succeeded,
    violation: ({ response }) => {
      const type = response.headers.get('content-type') ?? 'no content type'
      if (parseBody(response) === undefined) return { expected: value('a JSON body'), seen: seenStatus(response) }
      return /^application\/(.+\+)?json\b/i.test(type)
        ? undefined
        : {
            expected: value('a JSON content type'),
            seen: wrong('the Content-Type of a JSON body is not JSON', { at: [{ path: 'Content-Type', text: type }] }),
          }
    },
  },
  {
    decides: '<operation>.encoding',
    of: ({ schemes }) => schemes.length > 0,
    cases: ['valid', 'no-credential', 'refusals', 'invalid-query', 'queries'],
    applies: ({ response: { text, raw } }) => raw !== undefined && (text !== '' || raw.isWhole === false),
    violation: ({ response }) => bytesViolation(response) ?? typeViolation(response),
  },
  {
    decides: '<operation>.attachment',
    of: isOf('read-log-file'),
    cases: ['download'],
    applies: (exchange) => succeeded(exchange) && exchange.response.status !== 204 && isPlainQuery(exchange.query),
    violation: ({ query, response }) => {
      const isExpected = query.get('download') !== 'false'
      const disposition = response.headers.get('content-disposition') ?? 'none'
      if (/^attachment\b/i.test(disposition) === isExpected) return undefined
      return {
        expected: value(`${isExpected ? 'an' : 'no'} attachment`),
        seen: wrong(`the file is ${isExpected ? 'not ' : ''}sent as an attachment`, {
          at: [{ path: 'Content-Disposition', text: disposition }],
        }),
      }
    },
  },
  {
    decides: '<operation>.default-range',
    of: isOf('query-logs'),
    cases: ['default-range'],
    // Only the supplement states the fields of a page. The rule `<operation>.body` reports a missing field.
    applies: (exchange) =>
      succeeded(exchange) &&
      !exchange.query.has('from') &&
      (!exchange.query.has('to') || isOfLastDay(exchange)) &&
      isRecord(toRecord(parseBody(exchange.response))['query']),
    violation: ({ query, response, at }) => {
      const { from, to } = toRecord(toRecord(parseBody(response))['query'])
      const [first, last] = [Date.parse(String(from)), Date.parse(String(to))]
      if (last - first !== dayMs)
        return {
          expected: value('a range of 24 hours'),
          seen: wrong('the default range has the wrong length', { at: placesIn(response, 'query.from', 'query.to') }),
        }
      if (query.has('to')) return undefined
      // The clock of the `Date` header, which corrects the clock of the suite, may differ from the clock of the logs by seconds.
      const isNow = Math.abs(last - at.getTime()) < 60_000
      return isNow
        ? undefined
        : {
            expected: value('a range that ends now'),
            seen: wrong('the default range has the wrong end', { at: placesIn(response, 'query.to') }),
          }
    },
  },
  errorBody('<interface>.errors.object', 'a JSON object as error body', (body) =>
    errorFields.some((name) => name in body),
  ),
  ...errorFields.map((name) => ({
    // Each field is optional (supplement), but an object without any of them is not an error body of the platform.
    ...errorBody('<interface>.errors.<field>', `${name} of an error body is a string`, (body) =>
      name in body ? typeof body[name] === 'string' : undefined,
    ),
    values: { field: kebabCase(name) },
  })),
  errorBody('<operation>.error-body', 'the error body carries ErrorKey, Field and Message', (body) =>
    errorFields.every((name) => typeof body[name] === 'string'),
  ),
  ...codeRules,
  {
    decides: '<operation>.error-place/<case>',
    of: isOf('query-logs'),
    cases: Object.values(casesOfStatus).flat(),
    applies: (exchange, known) => codeFor(exchange, known) !== undefined,
    violation: (exchange, known) => {
      const { code } = toRecord(toRecord(parseBody(exchange.response))['error'])
      const expected = codeFor(exchange, known)
      if (code === expected) return undefined
      return {
        expected: value(`error.code ${JSON.stringify(expected)}`),
        seen: wrong('error.code is not the stated one', { at: placesIn(exchange.response, 'error.code') }),
      }
    },
  },
]
