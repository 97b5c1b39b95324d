import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { runCli } from './cli.ts'
import { createPlatform } from './platform.ts'

describe('commands of the contract', () => {
  test('a field, a body of standard input, and both', async () => {
    const { run, emulator } = await createPlatform()
    const add = ['pull-zone', 'add-allowed-referrer', '2001']
    await run([...add, '--hostname', 'a.example'])
    await run([...add, '--body', '-'], { input: '{"Hostname":"b.example"}' })
    await run([...add, '--body', '{"Hostname":"x.example"}', '--hostname', 'c.example'])
    expect(emulator.state.zones.get('2001')?.allowedReferrers).toEqual(['a.example', 'b.example', 'c.example'])
  })

  test('a body of bytes is sent as it is', async () => {
    const { run, emulator } = await createPlatform()
    const { watermarkFile, libraryId } = emulator.fixtures
    await run(['stream-video-library', 'delete-watermark', libraryId, '--yes'])
    const sent: Uint8Array[] = []
    const fetch = (async (request: Request) => {
      sent.push(new Uint8Array(await request.clone().arrayBuffer()))
      return emulator.fetch(request)
    }) as unknown as typeof globalThis.fetch
    const line = ['stream-video-library', 'put-watermark', libraryId, '--body', `@${watermarkFile}`]
    expect(await run(line, { fetch })).toEqual({ code: 0, out: '', err: '' })
    expect(sent).toEqual([new Uint8Array(await readFile(watermarkFile))])
    expect(emulator.state.libraries.get(libraryId)?.hasWatermark).toBe(true)
  })

  test('ids beyond 2^53 go out and come back exactly', async () => {
    const { run } = await createPlatform()
    const { out } = await run(['stream-video-library', 'get-video-library', '9007199254740992', '--query', 'Id'])
    expect(out).toBe('9007199254740992\n')
    expect((await run(['stream-video-library', 'get-video-library', '9007199254740993'])).code).toBe(4)
  })

  test('a body keeps its integers when a field is put into it', async () => {
    const { run } = await createPlatform()
    const body = '{"Big":9007199254740993,"Hostname":"x"}'
    const line = ['pull-zone', 'add-allowed-referrer', '1', '--body', body, '--hostname', 'a', '--dry-run']
    expect((await run(line)).out).toContain(`--data-raw '{"Big":9007199254740993,"Hostname":"a"}'`)
  })

  test('an answer without a body prints nothing but a word for whoever sits at the terminal', async () => {
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
    emulator.state.logs.append([{ ...emulator.state.logs.rows(otherLoggedZoneId)[0], ...row } as never])
    const { code, out } = await run(['logging', 'read-log-file', '06-17-26', otherLoggedZoneId])
    expect(code).toBe(0)
    expect(out).toContain('|[hidden]\n')
    expect(out).not.toContain('CANARY')
    expect(out.trimEnd().split('\n').length).toBeGreaterThan(10)
    const page = await run(['logging', 'query-logs', otherLoggedZoneId, '--limit', '1'])
    expect(page.out).toContain('"authorizationHeader": "[hidden]"')
  })

  test.each([
    ['pull-zone add-allowed-referrer 2001', 'The body has no Hostname: give --hostname, or the field in --body'],
    ['pull-zone add-allowed-referrer 2001 --body {', '--body is no JSON'],
    [
      'pull-zone add-allowed-referrer 2001 --body [] --hostname a',
      '--body must be a JSON object where fields are given',
    ],
    ['pull-zone add-allowed-referrer 2001 --body {"Hostname":1}', "The body's Hostname must be string"],
    ['stream-video-library put-watermark 1001', '--body @FILE or --body - is missing'],
    ['stream-video-library put-watermark 1001 --body @/nonexistent', '/nonexistent cannot be read: ENOENT'],
    ['pull-zone get-pull-zone', 'ID is missing'],
    ['logging read-log-file .. 1', 'DATE must be'],
    ['logging read-log-file a/b 1', 'DATE must be'],
    ['pull-zone get-pull-zone 1 2', '2 arguments are given, and the command takes ID and no more'],
  ])('nothing is sent: %s', async (line, message) => {
    const { run, emulator } = await createPlatform()
    const { code, out, err } = await run(line.split(' '))
    expect(err).toContain(message)
    expect([code, out]).toEqual([message.includes('ENOENT') ? 1 : 2, ''])
    expect(emulator.journal.entries).toEqual([])
  })

  test('areas without operations are listed as such', async () => {
    const { out } = await runCli(['--help'])
    expect(out.match(/: its operations are not shown \(§1\)/g)).toHaveLength(13)
    const { code, err } = await runCli(['dns-zone'])
    expect(code).toBe(2)
    expect(err).toContain('The document names the area DNS Zone (§1) and shows none of its operations')
    expect((await runCli(['dns-zone', '--help'])).code).toBe(0)
  })
})
