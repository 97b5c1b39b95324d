import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { fakeFetch, noWait } from '../tests/fake-fetch.ts'
import { createLoggingClient, createManagementClient, readLogFile, readLogs, unwrap } from './index.ts'

const key = 'CANARY/key+1=='
const token = 'CANARY.jwt.2'
const visitor = 'CANARY3'

/** Returns all texts of an error that a log could show. */
function spellings(error: unknown): string {
  const { message, stack, cause } = Object(error)
  return [
    String(error),
    message,
    stack,
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(error),
    inspect(cause),
  ].join('\n')
}

/** Returns the credential of the request. */
const sent = ({ headers }: Request) => headers.get('AccessKey') ?? headers.get('Authorization')?.slice(7) ?? ''

/** Creates a text that repeats the request and contains recognisable credentials of others. */
function echo(request: Request): string {
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`)
  const others = ['Basic CANARY4', `{"authorizationHeader":"${visitor}"}`]
  return [...headers, encodeURIComponent(sent(request)), sent(request), ...others].join('\n')
}

const failures: [string, (request: Request) => Response | Error][] = [
  ['an error page that repeats the request', (request) => new Response(echo(request), { status: 502 })],
  [
    'a management error',
    (request) =>
      Response.json({ ErrorKey: echo(request), Field: sent(request), Message: sent(request) }, { status: 400 }),
  ],
  [
    'a logging error',
    (request) =>
      Response.json(
        { error: { code: sent(request), message: echo(request), details: [sent(request)] } },
        { status: 400 },
      ),
  ],
  [
    'a success that is not JSON',
    (request) => new Response(`{"data":[{"authorizationHeader":"${visitor}"}],${echo(request)}`),
  ],
  ['a secret where the text is cut', (request) => new Response(`${'x'.repeat(2040)}${sent(request)}`, { status: 500 })],
  ['a row cut in its credential', () => new Response(`{"data":[{"authorizationHeader":"${visitor}`)],
  [
    'a broken connection whose error repeats the request',
    (request) =>
      new TypeError(echo(request), {
        cause: Object.assign(new Error(echo(request)), { headers: { key: sent(request) }, code: sent(request) }),
      }),
  ],
  [
    'a redirect',
    (request) =>
      new Response(null, {
        status: 302,
        headers: { Location: `https://x.invalid/?${encodeURIComponent(echo(request))}` },
      }),
  ],
  [
    'a page for another zone',
    (request) => Response.json({ data: [{ authorizationHeader: visitor }], text: echo(request) }),
  ],
]

test.each(failures)('no credential in any error: %s', async (_name, answer) => {
  for (const credentials of [{ accessKey: key }, { bearer: token }]) {
    const { fetch } = fakeFetch(answer)
    const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, ...credentials })
    const management = createManagementClient({ baseUrl: 'https://management.invalid', fetch, ...credentials })
    const thrown = async (rows: AsyncIterable<unknown>) => {
      try {
        for await (const _row of rows);
      } catch (error) {
        return error
      }
      return undefined
    }
    const range = { from: 0, to: 1000, sleep: noWait }
    const caught = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: unknown) => error,
      )
    const shown = (call: Promise<{ error?: unknown }>) =>
      call.then(
        ({ error }) => error,
        () => undefined,
      )
    const zone = () => management.GET('/pullzone/{id}', { params: { path: { id: 1 } } })
    const page = () => logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
    const errors = [
      await caught(unwrap(zone())),
      await shown(zone()),
      await caught(unwrap(page())),
      await shown(page()),
      await thrown(readLogs(logging, { pullZoneId: 1, ...range })),
      await thrown(readLogFile(logging, { pullZoneId: 1, date: 0, sleep: noWait })),
    ]
    const text = errors.filter(Boolean).map(spellings).join('\n')
    expect(errors.some(Boolean)).toBe(true)
    expect(text).not.toContain('CANAR')
  }
})
