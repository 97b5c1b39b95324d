import { readFile } from 'node:fs/promises'
import { assertDefined } from '@cdn/kit/assert-defined'
import { describe, expect, test } from 'vitest'
import { outputFormats } from '../src/output/create-output.ts'
import { fetchFrom } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

describe('commands of the contract', () => {
  test('a field, a body from standard input, and both', async () => {
    const { run, emulator } = await createPlatform()
    const add = ['pull-zone', 'add-allowed-referrer', '2001']
    await run([...add, '--hostname', 'a.example'])
    await run([...add, '--body', '-'], { input: '{"Hostname":"b.example"}' })
    await run([...add, '--body', '{"Hostname":"x.example"}', '--hostname', 'c.example'])
    expect(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ])
  })

  test('a binary body is sent unchanged', async () => {
    const { run, emulator } = await createPlatform()
    const { watermarkFile, libraryId } = emulator.fixtures
    await run(['video-library', 'delete-watermark', libraryId, '--yes'])
    const sent: Uint8Array[] = []
    const fetch = fetchFrom(async (request) => {
      sent.push(new Uint8Array(await request.clone().arrayBuffer()))
      return emulator.fetch(request)
    })
    const line = ['video-library', 'put-watermark', libraryId, '--body', `@${watermarkFile}`]
    expect(await run(line, { fetch })).toEqual({ code: 0, out: '', err: '' })
    expect(sent).toEqual([new Uint8Array(await readFile(watermarkFile))])
    expect(emulator.state.resources.item('/videolibrary', libraryId)?.['HasWatermark']).toBe(true)
  })

  test('ids beyond 2^53 are sent and printed exactly', async () => {
    const { run } = await createPlatform()
    const { out } = await run(['video-library', 'get', '9007199254740992', '--query', 'Id'])
    expect(out).toBe('9007199254740992\n')
    expect((await run(['video-library', 'get', '9007199254740993'])).code).toBe(4)
  })

  test('keys of the account are hidden in every format, unless they are requested', async () => {
    const { run } = await createPlatform()
    const library = { Id: 1, Name: 'a', ApiKey: 'CANARY', Nested: [{ AWSSigningSecret: 'CANARY' }], Password: null }
    const fetch = fetchFrom(({ url }) => Response.json(url.includes('/1') ? library : [library]))
    for (const format of outputFormats)
      for (const command of [
        ['video-library', 'get', '1'],
        ['video-library', 'list'],
        ['api', 'videolibrary/1'],
      ]) {
        const { out } = await run([...command, '-o', format], { fetch })
        expect(out).not.toContain('CANARY')
        expect((await run([...command, '-o', format, '--show-secrets'], { fetch })).out).toContain('CANARY')
        const renamed = await run([...command, '-o', format, '-q', '[@][].{x: [ApiKey, Nested]}'], { fetch })
        expect(renamed.out).not.toContain('CANARY')
      }
  })

  test('a list has one form, whether one page or all are read', async () => {
    const { run } = await createPlatform()
    const { out, err } = await run(['pull-zone', 'list', '--page', '1', '--per-page', '5'])
    expect(out.trimEnd().split('\n')).toHaveLength(5)
    expect(err).toBe('cdn: This is one page of the list. --paginate prints all items.\n')
    const all = await run(['pull-zone', 'list', '--paginate'])
    expect(all.out).toContain(out)
    expect(JSON.parse((await run(['pull-zone', 'list', '--query', '[].Id', '-o', 'json'])).out)).toContain(2001)
  })

  test('a body keeps its integers when a field is merged into it', async () => {
    const { run } = await createPlatform()
    const body = '{"Big":9007199254740993,"Hostname":"x"}'
    const line = ['pull-zone', 'add-allowed-referrer', '1', '--body', body, '--hostname', 'a', '--dry-run']
    expect((await run(line)).out).toContain(`--data-raw '{"Big":9007199254740993,"Hostname":"a"}'`)
  })

  test('a response without a body prints nothing but a sentence on a terminal', async () => {
    const { run } = await createPlatform()
    const line = ['pull-zone', 'add-allowed-referrer', '2001', '--hostname', 'a.example']
    expect(await run(line)).toEqual({ code: 0, out: '', err: '' })
    expect(await run(line, { columns: 80 })).toEqual({ code: 0, out: '', err: '204: The change is made.\n' })
  })

  test('a v1 file is streamed line by line, without the credential of a visitor', async () => {
    const { run, emulator } = await createPlatform()
    const row = {
      timestamp: emulator.clock.now().getTime() - 1000,
      authorizationHeader: 'Bearer CANARY',
      bodyBytesSent: 1,
    }
    const { otherLoggedZoneId } = emulator.fixtures
    emulator.state.logs.append([{ ...assertDefined(emulator.state.logs.rows(otherLoggedZoneId)[0]), ...row }])
    const { code, out } = await run(['api', `06-17-26/${otherLoggedZoneId}.log`])
    expect(code).toBe(0)
    expect(out).toContain('|[redacted]\n')
    expect(out).not.toContain('CANARY')
    expect(out.trimEnd().split('\n').length).toBeGreaterThan(10)
    const page = await run(['api', `v2/pullzones/${otherLoggedZoneId}/logs?limit=1`])
    expect(page.out).toContain('"authorizationHeader": "[redacted]"')
  })

  test.each([
    ['pull-zone add-allowed-referrer 2001', 'Missing Hostname in the body: give --hostname, or the field in --body'],
    ['pull-zone add-allowed-referrer 2001 --body {', 'Invalid JSON in --body'],
    ['pull-zone add-allowed-referrer 2001 --body [] --hostname a', 'Invalid --body: expected a JSON object'],
    ['pull-zone add-allowed-referrer 2001 --body {"Hostname":1}', 'Invalid Hostname in the body: must be string'],
    ['video-library put-watermark 1001', 'Missing --body @FILE or --body -'],
    ['video-library put-watermark 1001 --body @/nonexistent', '/nonexistent cannot be read: ENOENT'],
  ])('nothing is sent: %s', async (line, message) => {
    const { run, emulator } = await createPlatform()
    const { code, out, err } = await run(line.split(' '))
    expect(err).toContain(message)
    expect([code, out]).toEqual([message.includes('ENOENT') ? 1 : 2, ''])
    expect(emulator.journal.entries).toEqual([])
  })
})
