import type { Operation, Schema } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { expectStatus, jsonOf, type ReceivedResponse } from '../../core/answer.ts'
import { burstZone, limitTrace, refusalIn, shortAnswer } from '../../core/bursts.ts'
import { call, credentialOf } from '../../core/call.ts'
import type { CheckContext, Need } from '../../core/check.ts'
import { expect, need, Skip } from '../../core/failure.ts'
import { carriesCode } from '../../recording/validate-exchange.ts'
import { pathTo } from '../resources.ts'
import { type ContractChecks, type Drafted, draft, toSlug } from './contract-checks.ts'

/** One way to provoke an error of the logging interface. */
interface Provocation {
  readonly status: number
  readonly slug: string
  readonly text: string
  readonly needs: readonly Need[]
  readonly basis?: 'supplement'
  readonly burst?: true
  /** Another contract check verifies the status, so this check verifies only the code. */
  readonly codeOnly?: true
  send(context: CheckContext, operation: Operation): Promise<ReceivedResponse>
}

function forZone(
  fixture: 'suspendedZoneId' | 'disabledZoneId' | 'unloggedZoneId',
): Pick<Provocation, 'needs' | 'send'> {
  return {
    needs: [fixture, 'credentials.accessKey'],
    send: (context, operation) =>
      call(context, operation, { path: pathTo(operation, need(context.fixtures[fixture], fixture)) }),
  }
}

/**
 * The logs of such a pull zone are refused for every credential. The provocations use the first scheme; these checks
 * repeat them with the other schemes.
 */
function withOtherSchemes(operation: Operation): Drafted[] {
  const [, ...others] = operation.schemes
  return others.flatMap((scheme) =>
    closedZones.map(({ fixture, slug, text, status }) =>
      draft(operation, {
        slug,
        aspect: toSlug(scheme),
        text,
        needs: [fixture, 'credentials.bearer'],
        run: async (context) => {
          const path = pathTo(operation, need(context.fixtures[fixture], fixture))
          expectStatus(
            await call(context, operation, { path, credential: credentialOf(context, operation, scheme) }),
            status,
          )
        },
      }),
    ),
  )
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
    send: (context, operation) =>
      call(context, operation, { query: { ...shortAnswer(operation), ...invalidQuery(operation) } }),
  },
  {
    status: 401,
    slug: '401',
    text: 'Missing credentials are answered 401.',
    codeOnly: true,
    needs: ['loggedZoneId'],
    send: (context, operation) => call(context, operation, { credential: undefined }),
  },
  ...closedZones.map(({ fixture, ...rest }) => ({ ...rest, ...forZone(fixture) })),
  {
    status: 429,
    slug: '429',
    text: 'Requests beyond the rate limit are answered 429.',
    codeOnly: true,
    burst: true,
    needs: ['loggedZoneId', 'credentials.accessKey'],
    send: async (context, operation) => {
      const zone = burstZone(context, operation)
      const seen = await context.alone([zone], () => limitTrace(context, operation, zone))
      const refusal = refusalIn(seen.all)
      if (!refusal) throw new Skip('no answer 429 in a burst')
      return refusal
    },
  },
]

/** Returns an invalid value for the operation's first query parameter with an enum. */
function invalidQuery(operation: Operation): Record<string, string> {
  const parameter = operation.parameters.find(
    ({ in: place, schema }) => place === 'query' && Array.isArray(schema['enum']),
  )
  return { [need(parameter, 'query parameter with a closed set of values').name]: noValue }
}

/** A text that is invalid for every number, time, boolean and enum of the contract. */
const noValue = 'sideways'

/** Each query parameter whose schema restricts its text is validated. */
function eachParameter(operation: Operation): Drafted[] {
  return operation.parameters
    .filter(({ in: place, schema }) => place === 'query' && !takesAnyText(schema))
    .map(({ name }) =>
      draft(operation, {
        slug: '400',
        aspect: toSlug(name),
        text: 'An invalid query parameter is answered 400.',
        basis: 'supplement',
        needs: ['loggedZoneId', 'credentials.accessKey'],
        run: async (context) =>
          expectStatus(await call(context, operation, { query: { ...shortAnswer(operation), [name]: noValue } }), 400),
      }),
    )
}

function takesAnyText(schema: Schema): boolean {
  return schema['type'] === 'string' && !schema['enum'] && !schema['format'] && !schema['pattern']
}

/** Each documented error of the logging interface, with its status and its code (§7). */
export const logAccess: ContractChecks = (operation) =>
  operation.interface === 'logging'
    ? [
        ...provocations.flatMap((provocation) => checksOf(operation, provocation)),
        ...withOtherSchemes(operation),
        ...eachParameter(operation),
      ]
    : []

function checksOf(operation: Operation, provocation: Provocation): Drafted[] {
  const { status, slug, text, needs, basis, send } = provocation
  const code = operation.responses.find((response) => response.status === `${status}`)?.errorCode
  const common = {
    text,
    needs,
    ...(basis && { basis }),
    ...(provocation.burst && { burst: true as const }),
  }
  const checkStatus = draft(operation, {
    ...common,
    slug,
    run: async (context) => expectStatus(await send(context, operation), status),
  })
  return [
    ...(provocation.codeOnly ? [] : [checkStatus]),
    ...(code ? codeChecks(operation, provocation, common, code) : []),
  ]
}

function codeChecks(
  operation: Operation,
  { status, slug, send }: Provocation,
  common: Pick<Provocation, 'text' | 'needs' | 'basis' | 'burst'>,
  code: string,
): Drafted[] {
  const topic = `errors.${code.replaceAll('_', '-')}`
  // The spec does not state where the code is, so it may be anywhere in the answer.
  const anywhere = draft(operation, {
    ...common,
    slug: topic,
    topic,
    aspect: slug,
    text: `The ${status} answer carries the code ${code}.`,
    run: async (context) => {
      const answer = await send(context, operation)
      expectStatus(answer, status)
      expect(carriesCode(answer, code), `the code ${code} in the answer`, answer.text.slice(0, 200) || 'an empty body')
    },
  })
  if (operation.name !== 'query-logs') return [anywhere]
  const inPlace = draft(operation, {
    ...common,
    slug: 'error-place',
    aspect: slug,
    text: 'The code of an error is carried in error.code.',
    run: async (context) => {
      const answer = await send(context, operation)
      expectStatus(answer, status)
      const { code: seen } = toRecord(toRecord(jsonOf(answer))['error'])
      expect(seen === code, `error.code ${JSON.stringify(code)}`, `error.code ${JSON.stringify(seen)}`)
    },
  })
  return [anywhere, inPlace]
}
