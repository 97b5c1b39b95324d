import type { Operation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { type ContractChecks, type Draft, type Drafted, draft } from '../requirements.ts'
import { call, credentialOf, type Request } from '../run/call.ts'
import type { CheckContext } from '../run/check.ts'
import { expect, need, Skip } from '../run/failure.ts'
import { expectStatus, jsonOf, type ReceivedResponse } from '../run/response.ts'
import { carriesCode } from '../run/validate-exchange.ts'
import { burstZone, limitTrace, shortResponse } from '../scenarios/bursts.ts'
import { refusalsWithout } from './credentials.ts'
import { sentParameters } from './logs/cases.ts'
import { subjectsOf } from './logs/log-queries.ts'
import { dayPath, pathTo } from './resources.ts'

/** Ways to provoke one error of the logging interface. */
interface Provocation extends Omit<Draft, 'run' | 'slug'> {
  /** Returns responses that must all be this error. */
  responses(context: CheckContext, operation: Operation): Promise<readonly ReceivedResponse[]>
}

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Errors by their status. */
const errors: Readonly<Record<string, Provocation>> = {
  400: {
    text: 'An invalid query parameter is answered 400.',
    basis: 'supplement',
    needs,
    // One invalid parameter each, and all of them: an error may list several problems.
    responses: (context, operation) => {
      const single = operation.parameters
        .filter(
          ({ in: place, schema }) =>
            place === 'query' && (schema.type !== 'string' || schema.enum || schema.format || schema['pattern']),
        )
        .map(({ name }) => ({ [name]: 'sideways' }))
      const queries = [
        ...single.map((query) => ({ ...shortResponse(operation), ...query })),
        Object.assign({}, ...single),
      ]
      return sendAll(
        context,
        operation,
        queries.map((query) => ({ query })),
      )
    },
  },
  401: { text: 'Missing credentials are answered 401.', needs: ['loggedZoneId'], responses: refusalsWithout },
  429: {
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs,
    responses: async (context, operation) => {
      const zone = burstZone(context, operation)
      const { all } = await context.alone([zone], () => limitTrace(context, operation, zone))
      const refused = all.map(({ response }) => response).filter(({ status }) => status === 429)
      if (refused.length === 0) throw new Skip('no response 429 in a burst')
      return refused
    },
  },
}

/** Other checks verify the statuses of these errors: those of the credentials and of the rate limit. */
const codeOnly = ['401', '429']

/** Pull zones whose logs cannot be read (§7). */
const closedZones = {
  '403-suspended': ['suspendedZoneId', 'A suspended pull zone is answered 403.'],
  '403-disabled': ['disabledZoneId', 'A disabled pull zone is answered 403.'],
  404: ['unloggedZoneId', 'A pull zone without logging is answered 404.'],
} as const

/** Each documented error of the logging interface, with its status and its code (§7). */
export const logAccess: ContractChecks = (operation) => {
  if (operation.interface !== 'logging') return []
  const ofZones = Object.entries(closedZones).map(([slug, [fixture, text]]): [string, Provocation] => [
    slug,
    {
      text,
      needs: [fixture, 'credentials.accessKey'],
      uses: ['loggedZoneId', 'otherLoggedZoneId'],
      responses: async (context) => {
        const path = pathTo(operation, need(context.fixtures[fixture], fixture))
        const requests = await permittedRequests(context, operation)
        return sendAll(
          context,
          operation,
          requests.map((one) => ({ ...one, path: { ...one.path, ...path } })),
        )
      },
    },
  ])
  return [...Object.entries(errors), ...ofZones].flatMap(([slug, provocation]) => [
    ...(codeOnly.includes(slug) ? [] : [draftOf(operation, slug, provocation, { slug }, () => {})]),
    ...codesOf(operation, slug, provocation),
  ])
}

async function sendAll(context: CheckContext, operation: Operation, requests: readonly Request[]) {
  const responses: ReceivedResponse[] = []
  for (const request of requests) responses.push(await call(context, operation, request))
  return responses
}

/** Returns requests that a pull zone with logging answers: with each scheme, with each parameter, and for each day of the retention. */
async function permittedRequests(context: CheckContext, operation: Operation): Promise<Request[]> {
  const { bearer } = context.fixtures.credentials
  const schemes = operation.schemes.filter((_, index) => index === 0 || bearer !== undefined)
  // Without traffic, there are no values that a parameter certainly takes.
  const name = operation.name === 'query-logs' ? operation.name : 'read-log-file'
  const [subject] = await subjectsOf(context, name).catch(() => [])
  const values = subject ? Object.entries(subject.values) : []
  const daysAgo = (days: number) => dayPath(operation, new Date(context.now().getTime() - days * dayMs))
  return [
    ...schemes.map((scheme) => ({ credential: credentialOf(context, operation, scheme) })),
    ...values.map(([parameter, [value = '']]) => ({
      query: subject && sentParameters(subject, { [parameter]: value }),
      path: daysAgo(1),
    })),
    ...(name === 'query-logs' ? [] : [{ path: daysAgo(2) }]),
  ] as Request[]
}

/** The code of an error is in its response. The spec does not state where, so only the supplement expects a place. */
function codesOf(operation: Operation, slug: string, provocation: Provocation): Drafted[] {
  const code = operation.responses.find(({ status }) => status === slug.slice(0, 3))?.errorCode
  if (!code) return []
  const topic = `errors.${code.replaceAll('_', '-')}`
  const text = `The ${slug.slice(0, 3)} response carries the code ${code}.`
  const anywhere = draftOf(operation, slug, provocation, { slug: topic, topic, aspect: slug, text }, (response) =>
    expect(
      carriesCode(response, code),
      `the code ${code} in the response`,
      response.text.slice(0, 200) || 'an empty body',
    ),
  )
  if (operation.name !== 'query-logs') return [anywhere]
  const place = { slug: 'error-place', aspect: slug, text: 'The code of an error is carried in error.code.' }
  const inPlace = draftOf(operation, slug, provocation, place, (response) => {
    const { code: seen } = toRecord(toRecord(jsonOf(response))['error'])
    expect(seen === code, `error.code ${JSON.stringify(code)}`, `error.code ${JSON.stringify(seen)}`)
  })
  return [anywhere, inPlace]
}

/** A check of responses that are provoked once for all its checks. */
function draftOf(
  operation: Operation,
  slug: string,
  { responses, ...rest }: Provocation,
  details: Partial<Draft> & Pick<Draft, 'slug'>,
  verify: (response: ReceivedResponse) => void,
): Drafted {
  const run = async (context: CheckContext) => {
    const all = await context.once(`provoked ${slug} of ${operation.name}`, () => responses(context, operation))
    for (const response of all) {
      expectStatus(response, Number(slug.slice(0, 3)))
      verify(response)
    }
  }
  return draft(operation, { ...rest, ...details, run })
}
