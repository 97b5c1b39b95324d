import { dayMs } from '@cdn/kit/time'
import { createEmulator } from '../../src/emulator.ts'
import type { StoredLogRow } from '../../src/platform/state/log-row.ts'
import type { Variants } from '../../src/variants/variants.ts'
import { createRow, jsonRequest } from './start.ts'
import type { OracleExchange } from './validate-response.ts'
import { createValidatingFetch, type Endpoints } from './validating-fetch.ts'

/** An exchange with all response headers. */
export type ExchangeWithHeaders = OracleExchange & { readonly headers: string }

/**
 * Sends requests to a fresh emulator and validates each response. The requests cover every point at which the platform may vary:
 * both interfaces and versions, all statuses, late rows, gzip, the clock and the rate limit.
 *
 * @param transport with `sockets`, the control interface is used to append rows and to advance the clock
 * @returns each exchange, in order
 * @throws Error if a response breaks the contract
 */
export async function exercise(
  variants: Partial<Variants>,
  transport: 'in process' | 'sockets',
): Promise<ExchangeWithHeaders[]> {
  const emulator = await createEmulator({ variants })
  const place: Endpoints = transport === 'in process' ? emulator : { ...(await emulator.listen()), fetch }
  const seen: ExchangeWithHeaders[] = []
  const ask = createValidatingFetch(emulator, place, variants, (exchange, headers) =>
    seen.push({ ...exchange, headers: JSON.stringify([...headers].filter(([name]) => !hopHeaders.has(name))) }),
  )
  const { accessKey, bearer, noScope } = emulator.fixtures.credentials
  const key = { AccessKey: accessKey, 'Accept-Encoding': 'identity' }
  const management = (path: string, init?: RequestInit) =>
    ask(new URL(path, place.managementUrl), { headers: key, ...init })
  const send = (path: string, init?: RequestInit) => ask(new URL(path, place.loggingUrl), { headers: key, ...init })
  const logging = async (path: string, init?: RequestInit) => {
    await send(path, init)
    await advance(1000)
  }
  const post = (body: unknown) => jsonRequest(emulator, body)
  const control = async (path: string, body: unknown) => {
    const response = await fetch(new URL(`_emulator/${path}`, place.loggingUrl), { ...post(body) })
    if (!response.ok) throw new Error(await response.text())
  }
  const advance = async (ms: number) =>
    transport === 'in process' ? emulator.clock.advance(ms) : control('clock/advance', { ms })
  const append = async (row: StoredLogRow) =>
    transport === 'in process' ? emulator.state.logs.append([row]) : control('log-rows', { rows: [row] })

  const watermark = 'videolibrary/1001/watermark'
  const add = 'pullzone/2001/addAllowedReferrer'
  const hostname = { Hostname: 'a.example' }

  await management('pullzone/2001')
  await management('pullzone/2999')
  await management('videolibrary/1001', { headers: {} })
  await management(add, post(hostname))
  await management(add, post(hostname))
  await management(add, post({}))
  await management(add, { method: 'POST', body: '{"Hostname":"b.example"}' })
  await management(add, { ...post(hostname), headers: {} })
  await management('pullzone/2999/addAllowedReferrer', post(hostname))
  await management(add, {
    ...post(hostname),
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
  })
  await management('pullzone/2001/removeAllowedReferrer', post({ Hostname: 'absent.example' }))
  await management(watermark, { method: 'DELETE', headers: { Authorization: `Bearer ${noScope}` } })
  await management(watermark, { method: 'DELETE', headers: { AccessKey: 'wrong', Authorization: `Bearer ${bearer}` } })
  await management(watermark, { method: 'DELETE', headers: { AccessKey: accessKey, Authorization: 'Bearer wrong' } })
  await management(watermark, { method: 'DELETE' })
  await management(watermark, { method: 'DELETE' })
  await management('videolibrary/9007199254740993/watermark', { method: 'DELETE' })
  await management(watermark, { method: 'PUT', body: new Uint8Array(100_000) })

  const at = (ms: number) => new Date(emulator.clock.now().getTime() + ms).toISOString()
  const logs = (query: string) => logging(`v2/pullzones/2003/logs?${query}`)
  const file = (query: string, date = '06-16-26') => logging(`${date}/2003.log?${query}`)
  for (const id of ['2999', '2004', '2005', '2006']) await logging(`v2/pullzones/${id}/logs`)
  await logging('v2/pullzones/2003/logs', { headers: {} })
  await logging('v2/pullzones/2003/logs', { headers: { AccessKey: 'wrong' } })
  await logs(`limit=10000&from=${at(-3 * dayMs + 60_000)}`)
  await logs('search=NOTHING-LIKE-IT')
  await logs('search=CURL&limit=50')
  await logs(`to=${at(-2.5 * dayMs)}`)
  await logs(`to=${at(dayMs)}&limit=1`)
  await logs('limit=1&nonsense=1')
  await logs('limit=1&limit=2')
  await file('')
  await file('start=0&end=3&sort=asc')
  await file('start=100000')
  await file('search=CURL')
  await file('status=9')
  await file('', '06-01-26')

  // This row becomes visible between two requests for the same range.
  const arrival = emulator.clock.now().getTime()
  const late = { timestamp: arrival, visibleFrom: arrival + 5000, pullZoneId: '2002', host: 'late.example' }
  await append(createRow(late))
  for (const pause of [1000, 5000]) {
    await advance(pause)
    await send(`v2/pullzones/2002/logs?from=${at(-60_000)}&to=${at(0)}&limit=10`)
    await send('06-17-26/2002.log?end=2', { headers: { ...key, 'Accept-Encoding': 'gzip' } })
    await send('06-17-26/2002.log?end=2')
  }

  // Bursts at both ends of a fixed window, then requests of a caller that ignores the 429.
  const burst = async (count: number, path: string) => {
    for (let sent = 0; sent < count; sent++) await send(path)
  }
  const v2 = 'v2/pullzones/2002/logs?limit=1'
  await advance(19_000 - (emulator.clock.now().getTime() % 10_000))
  await burst(31, v2)
  await burst(2, '06-16-26/2002.log?end=1')
  for (const pause of [1500, 4000, 4500, 1000]) {
    await advance(pause)
    await burst(16, v2)
  }
  await emulator.close()
  return seen
}

/** Headers that depend on the connection, not on the response. */
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'vary',
])
