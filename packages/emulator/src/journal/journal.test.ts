import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { jsonRequest, start } from '../../tests/support/start.ts'

const range = 'from=2026-06-16T00:00:00Z&to=2026-06-17T00:00:00Z'
const page = `v2/pullzones/2002/logs?${range}`
const add = 'pullzone/2001/addAllowedReferrer'
const remove = 'pullzone/2001/removeAllowedReferrer'

describe('the journal', () => {
  test('contains the newest requests, and counts the dropped ones', async () => {
    const { emulator, ask } = await start({ journalLimit: 3 })
    for (let sent = 0; sent < 8; sent++) await ask.management(`nowhere/${sent}?AccessKey=x`)
    const { journal } = emulator
    expect(journal.entries.map(({ path }) => path.slice(0, 10))).toEqual(['/nowhere/5', '/nowhere/6', '/nowhere/7'])
    expect([journal.dropped, journal.violations.length]).toEqual([5, 3])
    journal.clear()
    expect([journal.entries, journal.violations, journal.dropped]).toEqual([[], [], 0])
    for (const journalLimit of [0, 1.5, Number.NaN])
      await expect(start({ journalLimit })).rejects.toThrow(
        new RangeError(`The journal's limit must be an integer from 1, not ${journalLimit}`),
      )
  })

  test('contains requests without a response', async () => {
    const { emulator, ask } = await start()
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) })
    const init = { ...jsonRequest(emulator, ''), body: broken, duplex: 'half' }
    await expect(ask.management(add, init)).rejects.toThrow(new TypeError('fetch failed'))
    emulator.faults.add('reset-after')
    await expect(ask.management('pullzone/2001')).rejects.toThrow(new TypeError('fetch failed'))
    expect(emulator.journal.entries).toMatchObject([
      { operation: 'add-allowed-referrer', status: 0 },
      { operation: 'get-pull-zone', status: 0 },
    ])
  })

  test('shows no credential, in any position and encoding', async () => {
    const { emulator, ask } = await start()
    const { accessKey, bearer } = emulator.fixtures.credentials
    const wrong = 'canary-wrong-key'
    const escaped = (text: string) =>
      [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
    for (const secret of [accessKey, bearer, wrong]) {
      for (const spelled of [secret, escaped(secret)]) {
        const init = { headers: { AccessKey: wrong } }
        for (const path of [
          `${spelled}`,
          `videolibrary/${spelled}/watermark`,
          `v2/pullzones/2002/logs?search=${spelled}`,
          `v2/pullzones/2002/logs?${spelled}`,
          `v2/pullzones/2002/logs?${spelled}=1`,
          `v2/pullzones/2002/logs?a=b%20${spelled}%20c&b=x`,
          `pullzone/2001?x=a${spelled}b`,
          `pullzone/2001?token=%E0%A4%A&x=${spelled}`,
        ]) {
          await ask.management(path, init)
          await ask.logging(path, init)
        }
      }
    }
    await ask.logging('v2/pullzones/2002/logs?%61ccess%4Bey=canary-1&token=canary-2', { headers: {} })
    emulator.faults.add('redirect')
    await ask.management(`videolibrary/1001?a=${wrong}`, { headers: { AccessKey: wrong } })
    const shown = JSON.stringify(emulator.journal)
    expect(shown.length).toBeGreaterThan(5000)
    for (const canary of [accessKey, bearer, wrong, escaped(accessKey), escaped(bearer), escaped(wrong), 'canary'])
      expect(shown).not.toContain(canary)
    expect(shown).toContain('a=b [redacted] c&b=x')
    const reported = emulator.journal.violations.filter(({ name }) => name === 'credential-in-url')
    expect(reported).toHaveLength(emulator.journal.entries.length)
  })

  test('reports credentials, and parameters with names of credentials, but neither ordinary words nor search texts', async () => {
    const { emulator, ask } = await start()
    const jwt = `eyJ${'a'.repeat(9)}.${'b'.repeat(9)}.${'c'.repeat(9)}`
    const mistakes = ['token=a', '%41pi-Key=a', `search=${jwt}`, 'search=Bearer%20abc', 'referer=https://a:b@host/']
    for (const mistake of mistakes) await ask.logging(`${page}&${mistake}`)
    expect(emulator.journal.violations.map(({ name }) => name)).toEqual(mistakes.map(() => 'credential-in-url'))
    emulator.journal.clear()
    await ask.logging(`${page}&urlContains=%3Ftoken%3Da&search=x%26sig%3Db&token=`)
    expect(emulator.journal.entries[0]?.path).toContain('?token=[redacted]&search=x&sig=[redacted]')
    await ask.logging(`${page}&search=token&urlContains=key%3D1`)
    await ask.logging(`${page}&keyword=x&search=100%25`)
    expect(emulator.journal.violations).toEqual([])
  })
})

describe('a violation', () => {
  /** Returns all violations, each as the index of its request and its name. */
  const violationsOf = ({ journal }: Awaited<ReturnType<typeof start>>['emulator']) =>
    journal.violations.map(({ name, entry }) => `${journal.entries.indexOf(entry)} ${name}`)

  test('over-limit: each request above the limit, but not a 429 from a fault', async () => {
    const { emulator, ask } = await start()
    for (let sent = 0; sent < 32; sent++) await ask.logging(page)
    expect(violationsOf(emulator)).toEqual(['30 over-limit', '31 over-limit'])
    expect(emulator.journal.violations[0]).toMatchObject({ entry: { status: 429, operation: 'query-logs' } })
    emulator.clock.advance(10_000)
    emulator.faults.add('rate-limited')
    await ask.logging(page)
    expect(emulator.journal.violations).toHaveLength(2)
  })

  test('open-to: each page after the first of a version 2 query without an end', async () => {
    const { emulator, ask } = await start()
    const open = 'v2/pullzones/2002/logs?limit=5'
    for (const path of [
      page,
      open,
      open,
      `${open}&offset=0`,
      `${open}&offset=5`,
      `${open}&to=&offset=10`,
      '06-16-26/2002.log',
    ])
      await ask.logging(path)
    expect(violationsOf(emulator)).toEqual(['4 open-to', '5 open-to'])
  })

  test('repeated-post: the same POST again after a response or a lost response, and nothing else', async () => {
    const { emulator, ask } = await start()
    const post = (path: string, hostname: string, headers?: HeadersInit) =>
      ask
        .management(path, { ...jsonRequest(emulator, { Hostname: hostname }), ...(headers && { headers }) })
        .catch(() => {})
    await post(add, 'a.example', { 'Content-Type': 'application/json' })
    await post(add, 'a.example')
    await post(add, 'b.example')
    await post('pullzone/2002/addAllowedReferrer', 'a.example')
    await post(remove, 'a.example')
    await post(add, 'a.example')
    await post(add, '')
    await post(add, '')
    expect(violationsOf(emulator)).toEqual([])
    await post(add, 'a.example')
    expect(violationsOf(emulator)).toEqual(['8 repeated-post'])

    emulator.journal.clear()
    for (const name of ['reset-before', 'reset-after', 'internal-error', 'bad-gateway', 'time-out'] as const) {
      emulator.faults.add({ name, times: 1 })
      const stop = new AbortController()
      const hostname = `${name}.example`
      const isAdded = () => JSON.stringify(emulator.state.resources.item('/pullzone', '2001')).includes(hostname)
      const first = ask
        .management(add, { ...jsonRequest(emulator, { Hostname: hostname }), signal: stop.signal })
        .catch(() => {})
      // Abort only after the request took effect. If it is aborted earlier, the fault would affect the next request instead.
      while (name === 'time-out' && !isAdded()) await setImmediate()
      if (name === 'time-out') stop.abort()
      await first
      await post(add, hostname)
    }
    expect(violationsOf(emulator)).toEqual([1, 3, 5, 7, 9].map((number) => `${number} repeated-post`))
  })

  test('paging-by-returned: after a page that a filter shortened', async () => {
    const { emulator, ask } = await start()
    const search = `${page}&search=curl&limit=50`
    const { returned, hasMore } = (await (await ask.logging(search)).json()).pagination
    expect([returned > 0, returned < 50, hasMore]).toEqual([true, true, true])
    await ask.logging(`${search}&offset=50`)
    await ask.logging(search)
    await ask.logging(`${search}&offset=${returned}`)
    // Every entry matches this search, so no page is short.
    await ask.logging(`${page}&search=zone-2002&limit=50`)
    await ask.logging(`${page}&search=zone-2002&limit=50&offset=50`)
    expect(violationsOf(emulator)).toEqual(['3 paging-by-returned'])
  })

  test('deep-offset: an offset beyond the maximum page size, unless the range is short', async () => {
    const { emulator, ask } = await start()
    for (const query of [
      `${range}&offset=9999`,
      `${range}&offset=10000`,
      'from=2026-06-16T00:00:00.000Z&to=2026-06-16T00:00:00.003Z&offset=20000',
    ])
      await ask.logging(`v2/pullzones/2002/logs?${query}`)
    expect(violationsOf(emulator)).toEqual(['1 deep-offset'])
  })

  test('credential-on-redirect: a key, but not a token, which fetch removes', async () => {
    const { emulator, ask } = await start()
    emulator.faults.add('redirect')
    await ask.management('pullzone/2001')
    const headers = { Authorization: `Bearer ${emulator.fixtures.credentials.bearer}` }
    await ask.management('videolibrary/1001/watermark', { method: 'DELETE', headers })
    await ask.management('pullzone/2001', { redirect: 'manual' })
    expect(violationsOf(emulator)).toEqual(['1 credential-on-redirect'])
    expect(emulator.journal.entries.map(({ redirected: elsewhere }) => elsewhere === true)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ])
  })
})
