import type { Operation } from '@cdn/api/contract'
import { type Answer, expectStatus, jsonOf } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext, Need } from '../check.ts'
import { expect, need } from '../failure.ts'
import { carriesCode } from '../wire/judge.ts'
import { type Drafted, draft, type Law } from './law.ts'
import { burst } from './rate-limit.ts'

/** One way to earn an error of the logging interface. */
interface Provocation {
  readonly status: number
  readonly slug: string
  readonly text: string
  readonly needs: readonly Need[]
  readonly through?: 'supplement'
  readonly burst?: true
  /** The check of the status is another law's. */
  readonly codeOnly?: true
  send(context: CheckContext, operation: Operation): Promise<Answer>
}

function forZone(
  fixture: 'suspendedZoneId' | 'disabledZoneId' | 'unloggedZoneId',
): Pick<Provocation, 'needs' | 'send'> {
  return {
    needs: [fixture, 'credentials.accessKey'],
    send: (context, operation) =>
      call(context, operation, { path: { pullZoneId: need(context.fixtures[fixture], fixture) } }),
  }
}

const provocations: readonly Provocation[] = [
  {
    status: 400,
    slug: '400',
    text: 'An invalid query parameter is answered 400.',
    through: 'supplement',
    needs: ['loggedZoneId', 'credentials.accessKey'],
    send: (context, operation) => call(context, operation, { query: invalidQuery(operation) }),
  },
  {
    status: 401,
    slug: '401',
    text: 'Missing credentials are answered 401.',
    codeOnly: true,
    needs: ['loggedZoneId'],
    send: (context, operation) => call(context, operation, { credential: undefined }),
  },
  {
    status: 403,
    slug: '403-suspended',
    text: 'A suspended pull zone is answered 403.',
    ...forZone('suspendedZoneId'),
  },
  {
    status: 403,
    slug: '403-disabled',
    text: 'A disabled pull zone is answered 403.',
    ...forZone('disabledZoneId'),
  },
  { status: 404, slug: '404', text: 'A pull zone without logging is answered 404.', ...forZone('unloggedZoneId') },
  {
    status: 429,
    slug: '429',
    text: 'Requests beyond the rate limit are answered 429.',
    codeOnly: true,
    burst: true,
    needs: ['loggedZoneId', 'credentials.accessKey'],
    send: async (context, operation) => {
      const answers = await burst(context, operation)
      return need(
        answers.find(({ status }) => status === 429),
        'answer 429 in a burst',
      )
    },
  },
]

/** A value that breaks the schema of the operation's first query parameter with a closed set or a bound. */
function invalidQuery(operation: Operation): Record<string, string> {
  const parameter = operation.parameters.find(
    ({ in: place, schema }) => place === 'query' && Array.isArray(schema['enum']),
  )
  return { [need(parameter, 'query parameter with a closed set of values').name]: 'sideways' }
}

/** Each documented error of the logging interface, with its status and its code (§7). */
export const logAccess: Law = (operation) =>
  operation.interface === 'logging' ? provocations.flatMap((provocation) => lawsOf(operation, provocation)) : []

function lawsOf(operation: Operation, provocation: Provocation): Drafted[] {
  const { status, slug, text, needs, through, send } = provocation
  const code = operation.responses.find((response) => response.status === `${status}`)?.errorCode
  const common = {
    text,
    needs,
    ...(through && { through }),
    ...(provocation.burst && { burst: true as const }),
  }
  const checkStatus = draft(operation, {
    ...common,
    slug,
    run: async (context) => expectStatus(await send(context, operation), status),
  })
  return [
    ...(provocation.codeOnly ? [] : [checkStatus]),
    ...(code ? codeLaws(operation, provocation, common, code) : []),
  ]
}

function codeLaws(
  operation: Operation,
  { status, slug, send }: Provocation,
  common: Pick<Provocation, 'text' | 'needs' | 'through' | 'burst'>,
  code: string,
): Drafted[] {
  const topic = `errors.${code.replaceAll('_', '-')}`
  // Where the code is carried is not shown, so it may stand anywhere in the answer.
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
      const seen = (jsonOf(answer) as { error?: { code?: unknown } } | null)?.error?.code
      expect(seen === code, `error.code ${JSON.stringify(code)}`, `error.code ${JSON.stringify(seen)}`)
    },
  })
  return [anywhere, inPlace]
}
