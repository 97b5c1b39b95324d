import { expect, test } from 'vitest'
import { fetchFrom, runCli } from './support/cli.ts'
import { createPlatform, type PlatformSetting } from './support/platform.ts'

const refusing = (error: Error) =>
  fetchFrom(() => {
    throw new TypeError('fetch failed', { cause: error })
  })
const answering = (body: string | null) => ({ fetch: fetchFrom(() => new Response(body, { status: 404 })) })
const brokenClock = () => {
  throw new TypeError('clock broken')
}

/** Exit codes of the help in typical situations, with a part of the message. */
test.each<[code: number, line: string, message: string, setting?: PlatformSetting]>([
  [0, 'pull-zone get 2001', ''],
  [
    1,
    'pull-zone get 2001',
    'cdn: management.invalid does not answer (ENOTFOUND). Check the address and the network.\n',
    { fetch: refusing(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) },
  ],
  [
    1,
    'pull-zone get 1',
    'cdn: Nothing was sent to 127.0.0.1:9: HTTP must not use this port, which belongs to another protocol. Check the address.\n',
    { fetch, env: { CDN_MANAGEMENT_URL: 'http://127.0.0.1:9', CDN_LOGGING_URL: 'http://127.0.0.1:9' } },
  ],
  [
    1,
    'logs query 2002',
    'cdn: Internal error (a bug in this program): TypeError: clock broken\n',
    { now: brokenClock },
  ],
  [
    2,
    'video-library get 9223372036854775808',
    "cdn: Argument <id> '9223372036854775808' is invalid: expected the id of a video library, a 64-bit integer, or its name.\n",
  ],
  [3, 'pull-zone get 2001', 'answered 401', { env: { CDN_ACCESS_KEY: 'wrong-key' } }],
  [3, 'api v2/pullzones/2002/logs', 'answered 403', { env: { CDN_ACCESS_KEY: 'wrong-key' } }],
  [3, 'logs query 999999', 'or the account has no such pull zone: cdn auth status'],
  [
    4,
    'video-library delete-watermark 1999 --yes',
    'was answered 404: videoLibrary.not_found: The video library does not exist.\n',
  ],
  [
    4,
    'video-library delete-watermark 1 --yes',
    'answered 404: The video library with the requested ID does not exist.\n',
    answering(null),
  ],
])('%i: cdn %s: %s', async (expected, line, message, setting) => {
  const { run } = await createPlatform({ variants: { errorBodies: 'present' } })
  const { code, out, err } = await run(line, setting)
  expect(err).toContain(message)
  expect([code, out === '']).toEqual([expected, code !== 0 && !line.startsWith('api')])
  expect(err).not.toMatch(/wrong-key|\n {4}at /)
})

test('3: no credential', async () => {
  const { code, err } = await runCli(['pull-zone', 'get', '1'], { env: { HOME: '/nonexistent' } })
  expect([code, err]).toEqual([3, expect.stringMatching(/^cdn: Missing credential\. Run cdn auth login/)])
})

test.each([null, '<html>Not Found</html>', '{}'])(
  '4: a 404 of another server does not mean that logging is disabled: %s',
  async (body) => {
    const { run } = await createPlatform()
    const { code, err } = await run('logs query 2002', answering(body))
    expect([code, err]).toEqual([4, expect.not.stringContaining('Logging is not enabled')])
  },
)

test('5: a failure of the platform; only a read is attempted three times', async () => {
  for (const [line, attempts] of [
    ['pull-zone get 2001', 3],
    ['pull-zone add-allowed-referrer 2001 --hostname a.example', 1],
  ] as const) {
    const { run, emulator } = await createPlatform()
    emulator.faults.add({ name: 'internal-error', times: 9 })
    expect(await run(line)).toMatchObject({ code: 5, err: expect.stringContaining('answered 500') })
    expect(emulator.journal.entries).toHaveLength(attempts)
  }
})

test('130: interrupted', async () => {
  const { run } = await createPlatform()
  const interrupt = new AbortController()
  const fetch = fetchFrom((request) => {
    interrupt.abort()
    throw request.signal.reason
  })
  const ended = await run('pull-zone get 2001', { fetch, interrupt: interrupt.signal })
  expect(ended).toEqual({ code: 130, out: '', err: '' })
})
