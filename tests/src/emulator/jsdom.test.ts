// @vitest-environment jsdom
/** Component tests run in jsdom, which has an `AbortSignal`, a `Headers` and a `Uint8Array` of its own. */
import { createLoggingClient, readLogs } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'

test.for(['in process', 'over sockets'] as const)('serves every kind of request in jsdom, %s', async (way) => {
  expect(document.body.tagName).toBe('BODY')
  const emulator = await createEmulator({ variants: { watermarkLimit: 65_536 } })
  const inProcess = way === 'in process'
  const { managementUrl, loggingUrl } = inProcess ? emulator : await emulator.listen()
  const fetch = inProcess ? emulator.fetch : globalThis.fetch
  try {
    const { accessKey, bearer } = emulator.fixtures.credentials
    const statusOf = async (path: string, init: RequestInit) =>
      (await fetch(new URL(path, managementUrl), { headers: { AccessKey: accessKey }, ...init })).status
    expect(await statusOf('pullzone/2001', {})).toBe(200)
    expect(await statusOf('videolibrary/1001/watermark', { method: 'PUT', body: 'x' })).toBe(204)
    expect(await statusOf('videolibrary/1001/watermark', { method: 'PUT', body: 'x'.repeat(65_537) })).toBe(413)

    const client = createLoggingClient({ bearer, fetch, baseUrl: loggingUrl.href })
    const file = await fetch(new URL('06-16-26/2002.log', loggingUrl), {
      headers: { Authorization: `Bearer ${bearer}` },
    })
    expect((await file.text()).split('\n').length).toBeGreaterThan(50)
    const to = emulator.clock.now().getTime()
    let rows = 0
    for await (const _row of readLogs(client, { pullZoneId: 2002, from: to - 2 * hourMs, to })) rows++
    expect(rows).toBeGreaterThan(5)
    emulator.faults.add('null-data')
    const page = await client.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 2002 } } })
    expect(page.data).toMatchObject({ data: null })
  } finally {
    await emulator.close()
  }
})
