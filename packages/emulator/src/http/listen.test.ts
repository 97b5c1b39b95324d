import { sendRaw } from '@cdn/kit/testing/send-raw'
import { afterEach, describe, expect, test } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../emulator.ts'
import type { Listening } from './listen.ts'

const open: Listening[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map((listening) => listening.close()))))

async function serve(options: EmulatorOptions = {}) {
  const emulator = await createEmulator(options)
  const listening = await emulator.listen()
  open.push(listening)
  const { managementUrl: management, loggingUrl: logging, close } = listening
  return { emulator, management, logging, headers: { AccessKey: emulator.fixtures.credentials.accessKey }, close }
}

describe('over sockets', () => {
  test('serves both interfaces, with the date of the clock', async () => {
    const { emulator, management, logging, headers } = await serve()
    const body = '{"Hostname":"ä.example"}'
    const add = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
    expect((await fetch(new URL('pullzone/2001/addAllowedReferrer', management), add)).status).toBe(204)
    expect(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual(['ä.example'])
    const response = await fetch(new URL('v2/pullzones/2002/logs', logging), { headers })
    expect([response.status, response.headers.get('date')]).toEqual([200, emulator.clock.now().toUTCString()])
  })

  test('returns the same log file compressed and plain', async () => {
    const { logging, headers } = await serve({ variants: { tieOrder: 'stable' } })
    const read = (coding: string) =>
      fetch(new URL('06-16-26/2003.log', logging), { headers: { ...headers, 'Accept-Encoding': coding } })
    const [plain, zipped, refused] = await Promise.all([read('identity'), read('gzip'), read('gzip;q=0')])
    expect([plain, zipped, refused].map((response) => response.headers.get('content-encoding'))).toEqual([
      null,
      'gzip',
      null,
    ])
    const text = await plain.text()
    expect([await zipped.text(), await refused.text()]).toEqual([text, text])
    expect(text.length).toBeGreaterThan(5_000)
  })

  test('reports a port that is in use, and an invalid port', async () => {
    const { emulator, management } = await serve()
    const port = Number(management.port)
    await expect(emulator.listen({ port })).rejects.toThrow(
      new Error(`Port ${port} is in use: choose another one, or 0 for any free port`),
    )
    await expect(emulator.listen({ port: 65_535 })).rejects.toThrow(
      /^The port must be an integer from 0 to 65534, not 65535$/,
    )
  })
})

describe('requests with a body', () => {
  const tooLong = new Uint8Array(33 * 1024 * 1024)

  test('returns 413 for a body that is too long, with and without a stated length', async () => {
    const { emulator, management, headers } = await serve()
    const put = (body: Uint8Array<ArrayBuffer> | ReadableStream, path = 'videolibrary/1001/watermark') => {
      const init = { method: 'PUT', headers, body, duplex: 'half' }
      return fetch(new URL(path, management), init)
    }
    expect((await put(tooLong)).status).toBe(413)
    expect((await put(new Blob([tooLong]).stream())).status).toBe(413)
    const add = new URL('pullzone/2001/addAllowedReferrer', management)
    const json = { ...headers, 'Content-Type': 'application/json' }
    expect((await fetch(add, { method: 'POST', headers: json, body: tooLong })).status).toBe(413)
    emulator.faults.add({ name: 'latency', ms: 0 })
    const chunked: object = { method: 'POST', headers: json, body: new Blob([tooLong]).stream(), duplex: 'half' }
    expect((await fetch(add, chunked)).status).toBe(413)
    expect((await fetch(new URL('videolibrary/1001', management), { headers })).status).toBe(200)
    expect(emulator.journal.entries.map(({ status }) => status)).toEqual([413, 413, 413, 413, 200])
    const rows = await fetch(new URL('_emulator/log-rows', management), { method: 'POST', body: tooLong })
    expect([rows.status, await rows.json()]).toEqual([
      413,
      { message: 'The request body has more than 33554432 bytes.' },
    ])
  })

  test('returns 400 for a body that is nested deeply, also of the control interface', async () => {
    const { management, headers } = await serve()
    const body = `${'[1,'.repeat(50_000)}1${']'.repeat(50_000)}`
    const json = { ...headers, 'Content-Type': 'application/json' }
    for (const path of ['pullzone/2001/addAllowedReferrer', '_emulator/log-rows', '_emulator/faults']) {
      const init = path.startsWith('_') ? { method: 'POST', body } : { method: 'POST', body, headers: json }
      expect((await fetch(new URL(path, management), init)).status, path).toBe(400)
    }
  })

  test('responds to Expect: 100-continue before the body is sent, on the same connection', async () => {
    const { management, headers } = await serve()
    const key = headers.AccessKey
    const put = (length: number) =>
      `PUT /videolibrary/1001/watermark HTTP/1.1\r\nHost: x\r\nAccessKey: ${key}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    expect(await sendRaw(management, put(40 * 1024 * 1024))).toMatch(/^HTTP\/1\.1 413 /)
    expect(await sendRaw(management, `${put(3)}abc`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 204 /)
  })

  test('keeps an idle connection for 75 seconds', async () => {
    const { management } = await serve()
    const response = await fetch(management)
    expect(response.headers.get('keep-alive')).toBe('timeout=75')
  })
})

describe('control interface', () => {
  const post = (base: URL, path: string, body: unknown) =>
    fetch(new URL(`_emulator/${path}`, base), {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const get = async (base: URL, path: string) => (await fetch(new URL(`_emulator/${path}`, base))).json()

  test('shows the state, the journal and all rows, on both ports, without credentials', async () => {
    const { emulator, management, logging } = await serve()
    await fetch(new URL('videolibrary/1001', management))
    for (const base of [management, logging]) {
      expect(await get(base, 'state')).toMatchObject({
        now: emulator.clock.now().toISOString(),
        resources: { '/videolibrary': [{ Id: 1001, HasWatermark: true }, {}] },
      })
      expect(await get(base, 'journal')).toMatchObject({ entries: [{ operation: 'get-video-library', status: 401 }] })
      expect(await get(base, 'log-rows?zone=2002')).toEqual({
        rows: JSON.parse(JSON.stringify(emulator.state.logs.rows('2002'))),
      })
    }
  })

  test('saves, restores and resets the state, and reports the first fault of an invalid state', async () => {
    const { emulator, management } = await serve()
    const { resources } = emulator.state
    const read = (id: string) => resources.item('/pullzone', id)?.['Name']
    const put = async (state: unknown) => {
      const init = { method: 'PUT', body: typeof state === 'string' ? state : JSON.stringify(state) }
      const response = await fetch(new URL('_emulator/state', management), init)
      return [response.status, await response.json()]
    }
    resources.change('/pullzone', '2001', { Name: 'changed', AllowedReferrers: ['a.example'] })
    const saved = await (await fetch(new URL('_emulator/state', management))).text()
    const before = resources.all
    const one = { Id: 7, Name: 'seven', AllowedReferrers: ['b.example'], EnableLogging: true }
    expect((await put({ resources: { '/pullzone': [one] } }))[0]).toBe(200)
    expect(resources.all['/pullzone']).toEqual([expect.objectContaining({ ...one, Suspended: false })])
    expect([read('2001'), emulator.state.zones.get('7')?.logging]).toEqual([undefined, 'enabled'])
    expect((await put(saved))[0]).toBe(200)
    expect(resources.all).toEqual(before)
    expect((await fetch(new URL('_emulator/state', management), { method: 'DELETE' })).status).toBe(204)
    expect(read('2001')).toBe('zone-2001')

    const message = async (state: unknown) => (await put({ resources: state }))[1].message
    expect(await message(undefined)).toMatch(/^Invalid state: expected \{"resources"/)
    expect(await message({ '/zone': [] })).toMatch(
      /^Invalid state: unknown collection \/zone; expected one of .*\/pullzone\b/,
    )
    expect(await message({ '/pullzone': {} })).toBe('Invalid state: /pullzone must be a list, each an object, not {}')
    expect(await message({ '/pullzone': [1] })).toBe('Invalid state: /pullzone[0] must be an object, not 1')
    expect(await message({ '/pullzone': [{}] })).toBe('Invalid state: /pullzone[0].Id is missing')
    expect(await message({ '/pullzone': [one, one] })).toBe(
      'Invalid state: /pullzone[1] has the Id of an earlier item.',
    )
    expect(await message({ '/pullzone': [{ Id: 1, name: 'x' }] })).toMatch(
      /\[0\] has an unknown key "name": expected one of Id, /,
    )
    expect(await message({ '/pullzone': [{ Id: 1, Enabled: 1 }] })).toBe(
      'Invalid state: /pullzone[0].Enabled must be boolean.',
    )
    const put64 = async (id: string) => (await put(`{"resources":{"/pullzone":[{"Id":${id}}]}}`))[1].message
    expect(await put64('9223372036854775808')).toBe('Invalid state: /pullzone[0].Id must match format "int64".')
    expect(read('2001')).toBe('zone-2001')
    expect(await put64('9223372036854775807')).toBeUndefined()
    expect(resources.all['/pullzone']?.[0]?.['Id']).toBe(9223372036854775807n)
  })

  test('moves the clock', async () => {
    const { emulator, logging } = await serve()
    const before = emulator.clock.now().getTime()
    expect((await post(logging, 'clock/advance', { ms: 1500 })).status).toBe(200)
    expect(emulator.clock.now().getTime() - before).toBe(1500)
    for (const body of [{ ms: -1 }, { ms: 1e300 }, { ms: '1' }, {}, 'x'])
      expect((await post(logging, 'clock/advance', body)).status).toBe(400)
    const real = await serve({ clock: 'real' })
    expect((await post(real.logging, 'clock/advance', { ms: 1 })).status).toBe(400)
  })

  test('accepts rows, and reports the invalid row', async () => {
    const { emulator, logging, headers } = await serve()
    const timestamp = emulator.clock.now().getTime() - 1
    const response = await post(logging, 'log-rows', { rows: [{ timestamp, pullZoneId: '2002', host: 'put.example' }] })
    expect(await response.json()).toEqual({ appended: 1 })
    expect(await (await fetch(new URL('v2/pullzones/2002/logs?limit=1', logging), { headers })).text()).toContain(
      'put.example',
    )
    const wrong = await post(logging, 'log-rows', {
      rows: [
        { timestamp, pullZoneId: '2002' },
        { timestamp, pullZoneId: 2002 },
      ],
    })
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { message: 'body.rows[1].pullZoneId must be text, not 2002' },
    ])
    expect(emulator.state.logs.rows('2002').filter(({ host }) => host === 'cdn.example')).toEqual([])
    const noTime = await fetch(new URL('_emulator/log-rows?zone=2002&from=yesterday', logging))
    expect([noTime.status, await noTime.json()]).toEqual([
      400,
      { message: 'from must be a time in milliseconds since 1970, not "yesterday".' },
    ])
  })

  test('activates and removes faults, and reports invalid ones', async () => {
    const { management, logging, headers } = await serve()
    const status = async () => (await fetch(new URL('pullzone/2001', management), { headers })).status
    const added = await post(logging, 'faults', { name: 'bad-gateway', times: 1 })
    expect(await added.json()).toMatchObject({ active: [{ name: 'bad-gateway' }] })
    expect([await status(), await status()]).toEqual([502, 200])
    await post(management, 'faults', { name: 'bad-gateway' })
    expect(await get(management, 'faults')).toMatchObject({
      active: [{ name: 'bad-gateway' }],
      known: expect.arrayContaining([
        expect.objectContaining({
          name: 'latency',
          kind: 'transport',
          parameters: { ms: expect.objectContaining({ minimum: 0 }) },
        }),
      ]),
    })
    expect((await fetch(new URL('_emulator/faults', logging), { method: 'DELETE' })).status).toBe(204)
    expect([await status(), await get(logging, 'faults')]).toMatchObject([200, { active: [] }])
    const wrong = await post(logging, 'faults', { name: 'latency', ms: -1 })
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { message: 'latency.ms must be a number from 0 to 86400000, not -1' },
    ])
    for (const [path, body] of [
      ['faults', 'x'],
      ['faults', { around: 1, name: 1 }],
    ] as const)
      expect((await post(logging, path, body)).status).toBe(400)
  })

  test('sets variants and restores those of the start, and reports invalid ones', async () => {
    const { emulator, management, logging } = await serve({ variants: { timestampStyle: '+00:00' } })
    const set = await post(management, 'variants', { addTwice: 'refused' })
    expect(await set.json()).toMatchObject({ active: { addTwice: 'refused', timestampStyle: '+00:00' } })
    expect((await fetch(new URL('_emulator/variants', logging), { method: 'DELETE' })).status).toBe(204)
    expect(emulator.variants).toMatchObject({ addTwice: 'kept once', timestampStyle: '+00:00' })
    for (const [body, sentence] of [
      [{ nonsense: 1 }, /^variants has an unknown key "nonsense": expected one of addSuccess, /],
      [{ addSuccess: 202 }, /^variants.addSuccess must be one of 204, 200, 201, not 202$/],
      [[], /^Invalid body: expected /],
      ['', /^Invalid body: expected /],
    ] as const) {
      const response = await post(management, 'variants', body)
      expect([response.status, await response.json()]).toEqual([400, { message: expect.stringMatching(sentence) }])
    }
  })

  test('names the right path after a doubled slash', async () => {
    const { management } = await serve()
    const response = await fetch(`${management}/_emulator/traffic`)
    const message = 'Doubled slash: request /_emulator/traffic instead.'
    expect([response.status, await response.json()]).toEqual([404, { message }])
    expect(await get(management, 'journal')).toMatchObject({ entries: [] })
  })

  test('shows violations, and clears the journal', async () => {
    const { management, logging, headers } = await serve()
    await fetch(new URL('v2/pullzones/2002/logs?offset=100', logging), { headers })
    expect(await get(management, 'journal')).toMatchObject({
      violations: [{ name: 'open-to', entry: { operation: 'query-logs' } }],
      dropped: 0,
    })
    expect((await fetch(new URL('_emulator/journal', logging), { method: 'DELETE' })).status).toBe(204)
    expect(await get(management, 'journal')).toEqual({ entries: [], violations: [], dropped: 0 })
  })

  // tests/attacks.test.ts tests which hosts and web pages the control interface refuses.
  test('the interfaces answer under any host name, such as the name of a reverse proxy', async () => {
    const { management } = await serve()
    const response = await sendRaw(management, 'GET /pullzone HTTP/1.0\r\nHost: management.example\r\n\r\n')
    expect(response.slice(9, 12)).toBe('401')
  })
})
