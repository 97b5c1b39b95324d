import { expect, test } from 'vitest'
import type { Problem } from './health.ts'
import { createMetrics } from './metrics.ts'
import { isHealthy, serveHealth } from './server.ts'

const sources = {
  now: () => 10_000,
  positions: async () => [
    { zone: '1', position: 4_000, deadline: 12_000, unread: [{ from: 0, to: 1, reason: 'no JSON' }] },
    { zone: '2', position: undefined, deadline: undefined, unread: [] },
  ],
  stdoutLag: async () => ({ segments: 2, oldest: 0 }),
  paused: () => 2,
  clockOffset: () => 1500,
  shard: { index: 1, of: 4 },
  isHealthy: async () => false,
}

async function serve(problems: Problem[]) {
  const { registry, ...metrics } = createMetrics(sources)
  const server = await serveHealth({ host: '127.0.0.1', port: 0 }, registry, async () => problems)
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(new URL(path, server.url), { method })
    return { status: response.status, text: await response.text() }
  }
  return { ...server, ...metrics, get }
}

test('an unknown offset of the clock has no sample', async () => {
  const offset = async (ms: number | undefined) =>
    createMetrics({ ...sources, clockOffset: () => ms }).registry.getSingleMetricAsString(
      'cdn_logs_exporter_clock_offset_seconds',
    )
  expect(await offset(undefined)).not.toMatch(/^cdn_/m)
  expect(await offset(0)).toMatch(/^cdn_logs_exporter_clock_offset_seconds 0$/m)
})

test('a ledger that cannot be read hides only the gauges that need it', async () => {
  const fail = () => Promise.reject(new Error('disk I/O error'))
  const { registry } = createMetrics({ ...sources, positions: fail, stdoutLag: fail })
  const text = await registry.metrics()
  expect(text).toMatch(/^cdn_logs_exporter_healthy 0$/m)
  expect(text).not.toMatch(/^cdn_logs_exporter_(zone_lag|stdout_lag)_seconds/m)
})

const problem = (kind: Problem['kind']): Problem => ({ kind, text: 'a problem' })

test.each([
  [[], { livez: 200, healthz: 200, readyz: 200 }],
  [[problem('starting')], { livez: 200, healthz: 200, readyz: 503 }],
  [[problem('danger')], { livez: 200, healthz: 503, readyz: 200 }],
  [[problem('lost')], { livez: 200, healthz: 503, readyz: 200 }],
  [[problem('failing')], { livez: 200, healthz: 503, readyz: 200 }],
  [[problem('stdout')], { livez: 200, healthz: 503, readyz: 200 }],
  [[problem('dead')], { livez: 503, healthz: 503, readyz: 503 }],
])('with %j the health addresses answer %j', async (problems, statuses) => {
  await using server = await serve(problems)
  for (const [path, status] of Object.entries(statuses)) expect((await server.get(`/${path}?x`)).status).toBe(status)
  expect(isHealthy(problems)).toBe(statuses.healthz === 200)
})

test('the response lists the problems', async () => {
  await using server = await serve([problem('danger'), problem('starting')])
  const { text } = await server.get('/healthz')
  expect(JSON.parse(text)).toEqual({ status: 'unhealthy', problems: [{ kind: 'danger', text: 'a problem' }] })
})

test('counters count events; lag and time left are computed at the scrape', async () => {
  await using server = await serve([])
  const { observe, get } = server
  const window = { zone: '1', from: 0, to: 1_000 }
  const segment = { ...window, revision: 0, rows: 7, bytes: 100, sha256: '' }
  observe({ type: 'window', window, segment })
  observe({ type: 'revision', segment: { ...segment, revision: 1, rows: 2, bytes: 10 } })
  observe({ type: 'gap', gap: { ...window, reason: 'late', noticedAt: 0 } })
  observe({ type: 'response', operation: 'query-logs', status: 429 })
  observe({ type: 'response', operation: 'query-logs', status: undefined })
  observe({ type: 'wait', ms: 1_500 })
  const lines = (await get('/metrics')).text.split('\n')
  for (const line of [
    'cdn_logs_exporter_rows_total 9',
    'cdn_logs_exporter_segments_total 2',
    'cdn_logs_exporter_stdout_lag_seconds 10',
    'cdn_logs_exporter_stdout_segments 2',
    'cdn_logs_exporter_gap_seconds_total 1',
    'cdn_logs_exporter_requests_total{operation="query-logs",status="429"} 1',
    'cdn_logs_exporter_requests_total{operation="query-logs",status="none"} 1',
    'cdn_logs_exporter_wait_seconds_total 1.5',
    'cdn_logs_exporter_zone_lag_seconds{zone="1"} 6',
    'cdn_logs_exporter_zone_time_left_seconds{zone="1"} 2',
    'cdn_logs_exporter_zone_open_gaps{zone="1"} 1',
    'cdn_logs_exporter_zones_paused 2',
    'cdn_logs_exporter_shard{index="1",of="4"} 4',
    'cdn_logs_exporter_healthy 0',
  ]) {
    expect(lines).toContain(line)
  }
  expect(lines.filter((line) => line.includes('zone="2"'))).toEqual(['cdn_logs_exporter_zone_open_gaps{zone="2"} 0'])
})
