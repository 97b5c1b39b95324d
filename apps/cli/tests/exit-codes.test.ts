import { describe, expect, test } from 'vitest'
import { fetchFrom, runCli } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

/** Each exit code of the help, in a typical situation. */
describe('exit codes', () => {
  test('0: done', async () => {
    const { run } = await createPlatform()
    const { code, out, err } = await run(['pull-zone', 'get', '2001'])
    expect(JSON.parse(out)).toMatchObject({ Id: 2001 })
    expect([code, err]).toEqual([0, ''])
  })

  test('1: without a network, the message contains the host', async () => {
    const { run } = await createPlatform()
    const fetch = fetchFrom(() => {
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }),
      })
    })
    const { code, out, err } = await run(['pull-zone', 'get', '2001'], { fetch })
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe('cdn: management.invalid does not answer (ENOTFOUND). Check the address and the network.\n')
  })

  test('1: a port that HTTP must not use', async () => {
    const { run } = await createPlatform()
    const { code, err } = await run(['pull-zone', 'get', '1'], {
      fetch,
      env: { CDN_MANAGEMENT_URL: 'http://127.0.0.1:9' },
    })
    expect([code, err]).toEqual([
      1,
      'cdn: Nothing was sent to 127.0.0.1:9: HTTP must not use this port, which belongs to another protocol. Check the address.\n',
    ])
  })

  test('1: a bug in this program is reported as one', async () => {
    const { run } = await createPlatform()
    const now = () => {
      throw new TypeError('clock broken')
    }
    const { code, err } = await run(['logs', 'query', '2002'], { now })
    expect([code, err]).toEqual([1, 'cdn: Internal error (a bug in this program): TypeError: clock broken\n'])
  })

  test('2: usage', async () => {
    const { code, out, err } = await runCli(['video-library', 'get', 'abc'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(
      "cdn: Command-argument value 'abc' is invalid for argument 'id': expected the id of a resource, a 64-bit integer.\n",
    )
  })

  test('3: no credential', async () => {
    const { code, err } = await runCli(['pull-zone', 'get', '1'], { env: { HOME: '/nonexistent' } })
    expect(code).toBe(3)
    expect(err).toMatch(/^cdn: Missing credential\. Run cdn auth login/)
  })

  test.each([
    ['pull-zone get 2001', '401'],
    ['api v2/pullzones/2002/logs', '403'],
  ])('3: a wrong key, at %s', async (line, status) => {
    const { run } = await createPlatform()
    const { code, err } = await run(line.split(' '), { env: { CDN_ACCESS_KEY: 'wrong-key' } })
    expect(code).toBe(3)
    expect(err).toContain(`answered ${status}`)
    expect(err).not.toContain('wrong-key')
  })

  test("4: a missing library, with the platform's message", async () => {
    const { run, emulator } = await createPlatform({ variants: { errorBodies: 'present' } })
    const { absentLibraryId } = emulator.fixtures
    const { code, out, err } = await run(['video-library', 'delete-watermark', absentLibraryId, '--yes'])
    expect([code, out]).toEqual([4, ''])
    expect(err).toBe(
      'cdn: DELETE /videolibrary/{id}/watermark at management.invalid was answered 404: videoLibrary.not_found: The video library does not exist.\n',
    )
  })

  test('4: a response without a body, with the description in the contract', async () => {
    const { run } = await createPlatform()
    const fetch = fetchFrom(() => new Response(null, { status: 404 }))
    const { code, err } = await run(['video-library', 'delete-watermark', '1', '--yes'], { fetch })
    expect(code).toBe(4)
    expect(err).toContain('answered 404\nThe video library with the requested ID does not exist.\n')
  })

  test('4: an empty 404 of another server does not mean that logging is disabled', async () => {
    const { run } = await createPlatform()
    for (const body of [null, '<html>Not Found</html>', '{}']) {
      const fetch = fetchFrom(() => new Response(body, { status: 404 }))
      const { code, err } = await run(['logs', 'query', '2002'], { fetch })
      expect(code).toBe(4)
      expect(err).not.toContain('Logging is not enabled')
    }
  })

  test('3: a 403 for logs names the third cause', async () => {
    const { run } = await createPlatform()
    const { code, err } = await run(['logs', 'query', '999999'])
    expect([code, err]).toEqual([3, expect.stringContaining('or the account has no such pull zone: cdn auth status')])
  })

  test('5: a failure of the platform', async () => {
    const { run, emulator } = await createPlatform()
    emulator.faults.add('internal-error')
    const { code, err } = await run(['pull-zone', 'add-allowed-referrer', '2001', '--hostname', 'a.example'])
    expect(code).toBe(5)
    expect(err).toContain('answered 500')
  })

  test('5: a read is attempted three times', async () => {
    const { run, emulator } = await createPlatform()
    emulator.faults.add({ name: 'internal-error', times: 9 })
    expect((await run(['pull-zone', 'get', '2001'])).code).toBe(5)
    expect(emulator.journal.entries).toHaveLength(3)
  })

  test('130: interrupted', async () => {
    const { run } = await createPlatform()
    let interrupt = () => {}
    const fetch = fetchFrom((request) => {
      interrupt()
      throw request.signal.reason
    })
    const onInterrupt = (listener: () => void) => {
      interrupt = listener
    }
    const setting = { fetch, onInterrupt }
    expect(await run(['pull-zone', 'get', '2001'], setting)).toEqual({ code: 130, out: '', err: '' })
  })
})
