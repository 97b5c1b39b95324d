import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fetchFrom } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

describe('cdn api', () => {
  test('selects the interface by the path; the method and the first slash are optional', async () => {
    const { run, emulator } = await createPlatform()
    expect((await run(['api', 'pullzone/2001'])).code).toBe(0)
    expect((await run(['api', 'GET', '/v2/pullzones/2002/logs?limit=1', '--param', 'order=asc'])).code).toBe(0)
    const [management, logging] = emulator.journal.entries
    expect(management).toMatchObject({
      method: 'GET',
      path: '/pullzone/2001',
      interface: 'management',
    })
    expect(logging).toMatchObject({ path: '/v2/pullzones/2002/logs?limit=1&order=asc', interface: 'logging' })
  })

  test('builds the body from fields with the types of the contract, or sends it unchanged', async () => {
    const { run, emulator } = await createPlatform()
    const add = ['api', 'POST', '/pullzone/2001/addAllowedReferrer']
    expect(await run([...add, '--field', 'Hostname=123'])).toEqual({ code: 0, out: '', err: '' })
    expect((await run([...add, '--input', '-'], { input: '{"Hostname": "b.example"}' })).code).toBe(0)
    expect(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual(['123', 'b.example'])
  })

  test('prints the body of an error response, which scripts need', async () => {
    const { run } = await createPlatform({ variants: { errorBodies: 'present' } })
    const refused = await run(['api', 'GET', '/pullzone/2999'])
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.out)).toMatchObject({ ErrorKey: 'pullZone.not_found' })
  })

  test('bytes are not written to a terminal, and the advice names no option that the command lacks', async () => {
    const { run } = await createPlatform()
    const fetch = fetchFrom(() => new Response('\0', { headers: { 'Content-Type': 'application/gzip' } }))
    expect(await run(['api', 'GET', '/06-17-26/2002.log'], { fetch, columns: 80 })).toEqual({
      code: 2,
      out: '',
      err: 'cdn: The response is binary: redirect standard output\n',
    })
  })

  test.each([
    [
      'api GET //evil.example/x',
      'Invalid path "//evil.example/x": expected a path without host, such as pullzone/2001.',
    ],
    [
      'api C:/ProgramFiles/Git/pullzone/2001',
      'Invalid path "C:/ProgramFiles/Git/pullzone/2001": Git Bash has turned the slash at its start into a folder; write pullzone/2001.',
    ],
    ['api DELETE C:/Git/videolibrary/1/watermark --force', 'write videolibrary/1/watermark.'],
    ['api C:\\Git\\nope --force --interface management', 'omit the first slash, as in pullzone/2001.'],
    ['logs query 1 --url-contains C:/Git/img', 'Git Bash turns a slash at its start into a folder, so omit it.'],
    ['api FETCH /pullzone/1', 'Invalid method "FETCH": expected GET, PUT, POST, PATCH or DELETE.'],
    ['api', 'Missing argument <method-or-path>: GET, PUT, POST, PATCH or DELETE (default: GET), or the path.'],
    ['api pullzone/1 --interface nope', 'Unknown interface "nope": expected management, logging'],
    ['api DELETE /videolibrary/1', '/videolibrary/1 takes GET, not DELETE.'],
    ['api GET /pullzones/1', 'Unknown path "/pullzones/1" (did you mean /pullzone/1?)'],
    [
      'api GET /statistics',
      'Unknown path "/statistics". To send it without this check: --force with --interface management or logging.',
    ],
    [
      'api GET /statistics --force',
      'Unknown path "/statistics". To send it without this check: --force with --interface',
    ],
    ['api GET /pullzone/%ZZ', 'Invalid percent-encoding of id in the path'],
    ['api GET /pullzone/..', 'Path parameter id must not be'],
    ['api GET /a/%2e%2E/b --force --interface logging', 'Path must not have "." or ".." as a segment.'],
    ['api GET /v2/pullzones/1/logs --param limit', 'Invalid --param: expected NAME=VALUE'],
    ['api GET /v2/pullzones/1/logs --param lmit=1', 'Unknown query parameter "lmit": expected from, to'],
    ['api GET /pullzone/1 --param a=1', 'Unknown query parameter "a": this operation takes none'],
    ['api DELETE /videolibrary/1/watermark --field a=1', 'DELETE /videolibrary/{id}/watermark takes no body.'],
    [
      'api POST /pullzone/1/addAllowedReferrer',
      'Missing Hostname in the body: give --field Hostname=VALUE, or the field in --input',
    ],
    ['api POST /pullzone/1/addAllowedReferrer --field Hostname=', 'Invalid Hostname in the body: must not be empty'],
    [
      'api DELETE /videolibrary/1001/watermark --force',
      'Delete watermark: DELETE /videolibrary/1001/watermark on management.invalid.',
    ],
    ['api POST /pullzone/1/addAllowedReferrer --field a=1 --input -', 'Give --field or --input, not both'],
    ['api POST /pullzone/1/addAllowedReferrer --input /nonexistent', '--input: /nonexistent cannot be read: ENOENT'],
    ['api GET /pullzone/1 --field a=1 --force', 'GET takes no body'],
    ['api GET /pullzone/1 -H AccessKey:CANARY', "Unknown option '-H'."],
  ])('is checked against the contract before anything is sent: %s', async (line, message) => {
    const { run, emulator } = await createPlatform()
    const { code, out, err } = await run(line.split(' '))
    expect(err).toContain(message)
    expect(err).not.toContain('CANARY')
    expect([code === 2 || message.includes('ENOENT'), out]).toEqual([true, ''])
    expect(emulator.journal.entries).toEqual([])
  })

  test('an invalid JSON body is not sent', async () => {
    const { run, emulator } = await createPlatform()
    const { code, err } = await run(['api', 'POST', '/pullzone/1/addAllowedReferrer', '--input', '-'], { input: '{' })
    expect([code, err]).toEqual([2, 'cdn: Invalid JSON in --input\n'])
    expect(emulator.journal.entries).toEqual([])
  })

  test('--force sends requests outside the contract', async () => {
    const { run, emulator } = await createPlatform()
    const force = (...words: string[]) => run(['api', ...words, '--force'])
    expect((await force('GET', '/unknown/{x}', '--param', 'a=1', '--interface', 'logging')).code).toBe(5)
    expect((await force('POST', '/pullzone/2001/addAllowedReferrer', '--field', 'Other=1')).code).toBe(4)
    expect(emulator.journal.entries.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/unknown/%7Bx%7D?a=1'],
      ['POST', '/pullzone/2001/addAllowedReferrer'],
    ])
    const { code, err } = await force('DELETE', '/v2/pullzones/2002/logs')
    expect([code, emulator.journal.entries.length]).toEqual([2, 2])
    expect(err).toContain('Unknown operation: DELETE /v2/pullzones/2002/logs on logging.invalid.')
    expect((await force('DELETE', '/unknown', '--interface', 'management', '--yes')).code).toBe(5)
    expect(emulator.journal.entries.map((entry) => entry.interface)).toEqual(['logging', 'management', 'management'])
  })

  test.each(['api pullzone/2001', 'pull-zone get 2001'])(
    '--timeout ends a response that arrives byte by byte: %s',
    async (line) => {
      const { run } = await createPlatform()
      const drip = new ReadableStream({
        pull: async (controller) => {
          await setTimeout(10)
          controller.enqueue(new TextEncoder().encode(' '))
        },
      })
      const fetch = fetchFrom(() => new Response(drip, { headers: { 'Content-Type': 'application/json' } }))
      const { code, err } = await run([...line.split(' '), '--timeout', '100ms'], { fetch })
      expect([code, err]).toEqual([1, 'cdn: GET /pullzone/{id} at management.invalid took longer than 100 ms.\n'])
    },
  )
})
