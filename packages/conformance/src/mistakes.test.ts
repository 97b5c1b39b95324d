/** A suite that a broken server passes is worth nothing: each of these mistakes must turn its check red. */
import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { createPlan } from './plan.ts'
import { runCheck } from './run-check.ts'

const { checks } = createPlan()

interface Mistake {
  readonly text: string
  /** The check that must fail. */
  readonly check: string
  /** Answers in the server's place, given how the right server answers. */
  answer(request: Request, right: (request: Request) => Promise<Response>): Promise<Response>
}

const mistakes: readonly Mistake[] = [
  {
    text: 'the watermark is deleted with a 200',
    check: 'management.delete-watermark.204',
    answer: async (request, right) => {
      const response = await right(request)
      return request.method === 'DELETE' && response.status === 204 ? new Response('') : response
    },
  },
  {
    text: 'the watermark is said to be deleted and stays',
    check: 'management.delete-watermark.effect',
    answer: async (request, right) =>
      request.method === 'DELETE' ? new Response(null, { status: 204 }) : right(request),
  },
  {
    text: 'a scope is not known',
    check: 'management.delete-watermark.scope-subuser-manage',
    answer: async (request, right) => {
      const [, claims = ''] = request.headers.get('authorization')?.split('.') ?? []
      const refused = Buffer.from(claims, 'base64url').toString().includes('"SubuserManage"')
      return refused ? Response.json({}, { status: 401 }) : right(request)
    },
  },
  {
    text: 'a wrong key is answered 403 on the management interface',
    check: 'management.delete-watermark.401/wrong-key',
    answer: async (request, right) => withStatus(await right(request), 401, 403),
  },
  {
    text: 'an absent library is deleted from without complaint',
    check: 'management.delete-watermark.404',
    answer: async (request, right) => withStatus(await right(request), 404, 204),
  },
  {
    text: 'an empty hostname is accepted',
    check: 'management.add-allowed-referrer.hostname-length',
    answer: async (request, right) => withStatus(await right(request), 400, 204),
  },
  {
    text: 'an added hostname replaces the others',
    check: 'management.add-allowed-referrer.one-per-call',
    answer: async (request, right) =>
      edit(await right(request), (text) =>
        text.replace(/"AllowedReferrers":\[.*?("[^"]*conformance[^"]*")\]/, '"AllowedReferrers":[$1]'),
      ),
  },
  {
    text: 'Message is missing from the error body',
    check: 'management.add-allowed-referrer.error-body/invalid-body',
    answer: async (request, right) => edit(await right(request), (text) => text.replace('"Message"', '"message"')),
  },
  {
    text: 'invalid credentials are answered 401 on the logging interface',
    check: 'logging.authentication.invalid/query-logs/expired-token',
    answer: async (request, right) => withStatus(await right(request), 403, 401),
  },
  {
    text: 'an error code has another name',
    check: 'logging.errors.logging-disabled/query-logs/404',
    answer: async (request, right) =>
      edit(await right(request), (text) => text.replace('logging_disabled', 'not_found')),
  },
  {
    text: 'a cache status has another name',
    check: 'logging.cache-status.values/read-log-file',
    answer: async (request, right) => edit(await right(request), (text) => text.replace(/^HIT\|/m, 'CACHED|')),
  },
  {
    text: 'there is no rate limit',
    check: 'logging.rate-limit.429/query-logs',
    answer: async (request, right) => withStatus(await right(request), 429, 200),
  },
  {
    text: 'version 2 answers in another format',
    check: 'logging.query-logs.json',
    answer: async (request, right) => edit(await right(request), () => '<logs/>'),
  },
]

test.each(mistakes)('$text: $check fails', async ({ check: id, answer }) => {
  const check = checks.find((candidate) => candidate.id === id)
  if (!check) throw new Error(`no check ${id}`)
  const outcomeWith = async (mistaken: boolean) => {
    const emulator = await createEmulator()
    const session = {
      fetch: (async (input, init) => {
        const request = new Request(input, init)
        return mistaken ? answer(request, emulator.fetch) : emulator.fetch(request)
      }) satisfies typeof fetch,
      management: emulator.managementUrl,
      logging: emulator.loggingUrl,
      fixtures: emulator.fixtures,
      virtualClock: true,
      now: () => emulator.clock.now(),
      wait: async (ms: number) => emulator.clock.advance(Math.max(0, ms)),
      close: async () => {},
    }
    return (await runCheck(check, session, { signal: new AbortController().signal })).result.outcome
  }
  expect(await outcomeWith(false)).toBe('pass')
  expect(await outcomeWith(true)).toBe('fail')
})

/** Gives an answer another status; a body that the new status cannot have is dropped. */
function withStatus(response: Response, from: number, to: number): Response {
  if (response.status !== from) return response
  return new Response(to === 204 ? null : response.body, { status: to, headers: response.headers })
}

async function edit(response: Response, change: (text: string) => string): Promise<Response> {
  if (response.status === 204) return response
  return new Response(change(await response.text()), { status: response.status })
}
