/** The tables of all lists at four widths, with realistic data. `vitest -u` writes the files in `golden/` again; review them. */
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { textWidth } from '../src/output/width.ts'
import { changeProfiles } from '../src/target/profiles.ts'
import { fetchFrom, runCli } from './support/cli.ts'

const now = new Date('2026-06-17T14:30:00Z')
const widths = [40, 60, 80, 140]

const names = ['shop-images', 'shop-images-staging', 'shop-video', 'docs', 'docs-archive-2019-to-2024', 'legal']
const zones = names.map((name, index) => ({
  Id: 2_840_101 + index * 37,
  Name: name,
  OriginUrl: index === 3 ? null : `https://origin-${index}.eu-central.shop.example/assets/${name}`,
  Enabled: index !== 5,
  Suspended: index === 4,
  Hostnames: [`${name}.cdn.example`, `media${index}.shop.example`, 'static.example']
    .slice(0, 1 + (index % 3))
    .map((Value, n) => ({
      Id: index * 10 + n,
      Value,
      ForceSSL: true,
      IsSystemHostname: n === 0,
      HasCertificate: true,
    })),
  AllowedReferrers: ['*.shop.example', 'shop.example', 'partner.example'].slice(0, index % 4),
  MonthlyBandwidthUsed: 10 ** (6 + index) + 12_345,
  EnableLogging: index < 3,
  LoggingIPAnonymizationEnabled: true,
  LogAnonymizationType: 0,
  EnableExtendedLogging: index === 0,
  VideoLibraryId: index === 2 ? 5601 : 0,
  ZoneSecurityKey: 'CANARY-secret',
}))

const libraries = ['product-films', 'product-films-archive', 'training'].map((Name, index) => ({
  Id: 5601 + index,
  Name,
  VideoCount: 12 * 40 ** index,
  StorageUsage: 5_234_567_890 * (index + 1),
  TrafficUsage: 98_765_432_101 * (index + 1),
  DateCreated: index === 2 ? '2026-06-17T08:15:00Z' : `2024-03-0${index + 1}T17:45:12.345Z`,
  PullZoneId: 2_840_175 + index,
  HasWatermark: index === 0,
  ApiKey: 'CANARY-key',
}))

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
  'curl/8.14.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_4 like Mac OS X) AppleWebKit/605.1.15 Version/19.4 Mobile/15E148 Safari/604.1',
]
const rows = Array.from({ length: 8 }, (_, index) => {
  const path = `/catalogue/2026/summer/shoes/${index % 2 ? 'large/' : ''}item-${1000 + index}.webp?width=${400 + index}`
  const host = index === 6 ? 'media0.shop.example' : 'shop-images.cdn.example'
  return {
    pullZoneId: 2_840_101,
    requestId: `${index}`.repeat(32),
    timestamp: new Date(now.getTime() - index * (index === 7 ? 10_000_000 : 61_234)).toISOString(),
    cacheStatus: ['HIT', 'MISS', 'HIT', 'REVALIDATED', '-'][index % 5],
    statusCode: [200, 404, 200, 304, 502][index % 5],
    bytesSent: 1234 * 11 ** (index % 5),
    remoteIp: index === 3 ? '2001:db8:85a3::8a2e:370:7334' : `203.0.113.${index}`,
    countryCode: ['DE', 'AT', 'US'][index % 3],
    userAgent: agents[index % 3],
    referer: null,
    edgeLocation: ['DE', 'AT', 'NY'][index % 3],
    scheme: 'https',
    host,
    path,
    url: `https://${host}${path}`,
  }
})

const fetch = fetchFrom(({ url }) => {
  const { pathname, searchParams } = new URL(url)
  if (pathname === '/pullzone') return Response.json(zones)
  if (pathname === '/videolibrary') return Response.json(libraries)
  const data = searchParams.get('order') === 'desc' ? rows : rows.toReversed()
  const from = Date.parse(searchParams.get('from') ?? '')
  const shown = data.filter(({ timestamp }) => Date.parse(timestamp) >= from && Date.parse(timestamp) < now.getTime())
  const pagination = { limit: 10_000, offset: 0, returned: shown.length, hasMore: false }
  const query = { ...Object.fromEntries(searchParams), pullZoneId: 2_840_101 }
  return Response.json({ query, data: shown, pagination })
})

const home = temporaryFolder()
await changeProfiles({ HOME: home }, () => ({
  current: 'production',
  profiles: {
    production: { CDN_ACCESS_KEY: 'CANARY' },
    'staging-europe': {
      CDN_BEARER_TOKEN: 'CANARY',
      CDN_MANAGEMENT_URL: 'https://management.staging.example',
      CDN_LOGGING_URL: 'https://logging.staging.example/base',
    },
  },
}))

function run(line: string, columns: number) {
  let time = now.getTime()
  const sleep = async (ms: number) => {
    time += ms
  }
  return runCli(line.split(' '), { columns, fetch, now: () => new Date(time), sleep, env: { HOME: home } })
}

/** Each list, and its columns that identify a record. */
describe.each([
  ['pull-zone list', ['Id', 'Name']],
  ['video-library list', ['Id', 'Name']],
  ['profiles list', ['name']],
  ['logs query 2840101 --since 1d', ['time', 'path']],
  ['logs tail 2840101 --since 1d --for 2s', ['time', 'path']],
  ['pull-zone list --columns Name,Hostnames,enablelogging', ['Name']],
])('cdn %s', (line, keys) => {
  test.each(widths)('at %i columns', async (columns) => {
    const { code, out, err } = await run(line, columns)
    expect(code, err).toBe(0)
    expect(out).not.toContain('CANARY')
    const name = line.replace(/ --(since|for) \w+| \d+/g, '').replaceAll(/\W+/g, '-')
    await expect(out).toMatchFileSnapshot(`golden/${name}.${columns}.txt`)
    const lines = out.trimEnd().split('\n')
    for (const text of lines) expect(textWidth(text)).toBeLessThanOrEqual(columns)
    const head = assertDefined(lines[0])
    for (const key of keys) {
      const start = head.search(new RegExp(`(^| )${key}( |$)`))
      expect(start).toBeGreaterThanOrEqual(0)
      const cells = lines.slice(1).map((text) => text.slice(start).trim().split(/ {2,}/)[0])
      expect(new Set(cells).size).toBe(cells.length)
      // A path is cut in its middle on a narrow terminal; every other identifying column is complete.
      if (key !== 'path') for (const cell of cells) expect(cell).not.toContain('…')
    }
  })
})

test.each(widths)('the summary of a range at %i columns', async (columns) => {
  const { out } = await run('logs stats 2840101 --since 1d', columns)
  await expect(out).toMatchFileSnapshot(`golden/logs-stats.${columns}.txt`)
})

test.each(widths)('a record is shown whole at %i columns', async (columns) => {
  const { out } = await runCli(['pull-zone', 'get', '1'], {
    columns,
    fetch: fetchFrom(() => Response.json(zones[1])),
    now: () => now,
    env: { HOME: home },
  })
  await expect(out).toMatchFileSnapshot(`golden/pull-zone-get.${columns}.txt`)
  for (const text of ['shop-images-staging.cdn.example', 'media1.shop.example', zones[1]?.OriginUrl])
    expect(out).toContain(text)
})
