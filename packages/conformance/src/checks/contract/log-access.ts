import type { Operation, Schema } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { expectStatus, jsonOf, type ReceivedResponse } from '../../core/answer.ts'
import { burstZone, limitTrace, shortAnswer } from '../../core/bursts.ts'
import { call, credentialOf, type Request } from '../../core/call.ts'
import type { CheckContext, Need } from '../../core/check.ts'
import { expect, need, Skip } from '../../core/failure.ts'
import { range, sample } from '../../core/logs.ts'
import { carriesCode } from '../../recording/validate-exchange.ts'
import { sentParameters } from '../logs/cases.ts'
import { subjectsOf } from '../logs/log-queries.ts'
import { dayPath, pathTo } from '../resources.ts'
import { type ContractChecks, type Drafted, draft } from './contract-checks.ts'
import { refusalsWithout } from './credentials.ts'

/** Ways to provoke one error of the logging interface. */
interface Provocation {
  readonly status: number
  readonly slug: string
  readonly text: string
  readonly needs: readonly Need[]
  readonly uses?: readonly Need[]
  readonly basis?: 'supplement'
  readonly burst?: true
  /** Another contract check verifies the status, so this check verifies only the code. */
  readonly codeOnly?: true
  /** Returns answers that must all be this error. */
  answers(context: CheckContext, operation: Operation): Promise<readonly ReceivedResponse[]>
}

const closedZones = [
  { fixture: 'suspendedZoneId', status: 403, slug: '403-suspended', text: 'A suspended pull zone is answered 403.' },
  { fixture: 'disabledZoneId', status: 403, slug: '403-disabled', text: 'A disabled pull zone is answered 403.' },
  { fixture: 'unloggedZoneId', status: 404, slug: '404', text: 'A pull zone without logging is answered 404.' },
] as const

const provocations: readonly Provocation[] = [
  {
    status: 400,
    slug: '400',
    text: 'An invalid query parameter is answered 400.',
    basis: 'supplement',
    needs: ['loggedZoneId', 'credentials.accessKey'],
    uses: ['otherLoggedZoneId'],
    answers: (context, operation) =>
      sendAll(
        context,
        operation,
        invalidQueries(operation).map((query) => ({ query })),
      ),
  },
  {
    status: 401,
    slug: '401',
    text: 'Missing credentials are answered 401.',
    codeOnly: true,
    needs: ['loggedZoneId'],
    answers: refusalsWithout,
  },
  ...closedZones.map(
    ({ fixture, ...rest }): Provocation => ({
      ...rest,
      needs: [fixture, 'credentials.accessKey'],
      uses: ['loggedZoneId', 'otherLoggedZoneId'],
      answers: async (context, operation) => {
        const id = need(context.fixtures[fixture], fixture)
        const requests = await permittedRequests(context, operation)
        return sendAll(
          context,
          operation,
          requests.map((request) => ({ ...request, path: { ...request.path, ...pathTo(operation, id) } })),
        )
      },
    }),
  ),
  {
    status: 429,
    slug: '429',
    text: 'Requests beyond the rate limit are answered 429.',
    codeOnly: true,
    burst: true,
    needs: ['loggedZoneId', 'credentials.accessKey'],
    answers: async (context, operation) => {
      const zone = burstZone(context, operation)
      const { all } = await context.alone([zone], () => limitTrace(context, operation, zone))
      const refused = all.map(({ answer }) => answer).filter(({ status }) => status === 429)
      if (refused.length === 0) throw new Skip('no answer 429 in a burst')
      return refused
    },
  },
]

async function sendAll(context: CheckContext, operation: Operation, requests: readonly Request[]) {
  const answers: ReceivedResponse[] = []
  for (const request of requests) answers.push(await call(context, operation, request))
  return answers
}

/** A text that is no value of an enum. */
const noValue = 'sideways'

/** Returns queries with one invalid parameter each, and one with all of them: an error may list several problems. */
function invalidQueries(operation: Operation): Record<string, string>[] {
  const single = operation.parameters
    .filter(({ in: place, schema }) => place === 'query' && !takesAnyText(schema))
    .map(({ name }) => ({ [name]: noValue }))
  return [...single.map((query) => ({ ...shortAnswer(operation), ...query })), Object.assign({}, ...single)]
}

function takesAnyText(schema: Schema): boolean {
  return schema['type'] === 'string' && !schema['enum'] && !schema['format'] && !schema['pattern']
}

/**
 * Returns requests that a pull zone with logging answers: with each scheme, with each parameter, and for each day of the retention.
 */
async function permittedRequests(context: CheckContext, operation: Operation): Promise<Request[]> {
  const { bearer } = context.fixtures.credentials
  const schemes = operation.schemes.filter((_, index) => index === 0 || bearer !== undefined)
  // Without traffic, there are no values that a parameter certainly takes.
  const [subject] = await subjectsOf(context, operation.name === 'query-logs' ? operation.name : 'read-log-file').catch(
    () => [],
  )
  const queries = subject
    ? Object.entries(subject.values).map(([name, [value = '']]) => sentParameters(subject, { [name]: value }))
    : []
  const daysAgo = (days: number) => dayPath(operation, new Date(context.now().getTime() - days * dayMs))
  return [
    ...schemes.map((scheme) => ({ credential: credentialOf(context, operation, scheme) })),
    ...queries.map((query) => ({ query, path: daysAgo(1) })),
    ...(operation.name === 'query-logs' ? [] : [{ path: daysAgo(2) }]),
  ]
}

/** Each documented error of the logging interface, with its status and its code (§7). */
export const logAccess: ContractChecks = (operation) =>
  operation.interface === 'logging'
    ? [
        ...provocations.flatMap((provocation) => checksOf(operation, provocation)),
        ...(operation.name === 'query-logs' ? [limitBounds(operation)] : []),
      ]
    : []

/** A page size outside of the bounds of the contract. The cases of the logs are within them. */
function limitBounds(operation: Operation): Drafted {
  const { minimum = 0, maximum = 0 } = operation.parameters.find(({ name }) => name === 'limit')?.schema ?? {}
  return draft(operation, {
    slug: 'limit-bounds',
    text: 'A limit outside its bounds is answered 400.',
    needs: ['loggedZoneId', 'credentials.accessKey'],
    run: async (context) => {
      const { from, to } = await sample(context)
      for (const [limit, status] of [
        [minimum, 200],
        [maximum, 200],
        [minimum - 1, 400],
        [maximum + 1, 400],
      ]) {
        const answer = await call(context, operation, { query: { ...range(from, to), limit: `${limit}` } })
        expectStatus(answer, Number(status))
      }
    },
  })
}

function checksOf(operation: Operation, provocation: Provocation): Drafted[] {
  const { status, slug, text, needs, uses, basis, burst } = provocation
  const code = operation.responses.find((response) => response.status === `${status}`)?.errorCode
  const topic = `errors.${code?.replaceAll('_', '-')}`
  const common = { text, needs, ...(uses && { uses }), ...(basis && { basis }), ...(burst && { burst }) }
  const onEach = (expectError: (answer: ReceivedResponse) => void) => async (context: CheckContext) => {
    const all = await context.once(`provoked ${slug} of ${operation.name}`, () =>
      provocation.answers(context, operation),
    )
    for (const answer of all) {
      expectStatus(answer, status)
      expectError(answer)
    }
  }
  const hasStatus = draft(operation, { ...common, slug, run: onEach(() => {}) })
  if (!code) return [hasStatus]
  // The spec does not state where the code is, so it may be anywhere in the answer.
  const anywhere = draft(operation, {
    ...common,
    slug: topic,
    topic,
    aspect: slug,
    text: `The ${status} answer carries the code ${code}.`,
    run: onEach((answer) =>
      expect(carriesCode(answer, code), `the code ${code} in the answer`, answer.text.slice(0, 200) || 'an empty body'),
    ),
  })
  const inPlace = draft(operation, {
    ...common,
    slug: 'error-place',
    aspect: slug,
    text: 'The code of an error is carried in error.code.',
    run: onEach((answer) => {
      const { code: seen } = toRecord(toRecord(jsonOf(answer))['error'])
      expect(seen === code, `error.code ${JSON.stringify(code)}`, `error.code ${JSON.stringify(seen)}`)
    }),
  })
  return [...(provocation.codeOnly ? [] : [hasStatus]), anywhere, ...(operation.name === 'query-logs' ? [inPlace] : [])]
}
