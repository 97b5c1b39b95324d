import type { World } from './live-run.ts'

/** Platforms without a fault, in different states that a live run may encounter. */
export const worlds: readonly World[] = [
  { name: 'no traffic' },
  { name: '1 request/s', traffic: { rowsPerSecond: 1 } },
  { name: '50 requests/s', traffic: { rowsPerSecond: 50 } },
  { name: '300 requests/s', traffic: { rowsPerSecond: 300 } },
  { name: '1,500 requests/s', traffic: { rowsPerSecond: 1_500 } },
  { name: 'a few requests an hour', traffic: 'planted' },
  { name: 'rows up to 5 min late', traffic: { rowsPerSecond: 1, lateShare: 0.3, maxLatenessMs: 300_000 } },
  { name: '30 % of rows on one ms', traffic: { rowsPerSecond: 5, tieShare: 0.3 } },
  { name: 'pages of 40 rows on one ms', traffic: { rowsPerSecond: 1, bursts: { rows: 40, everyMs: 60_000 } } },
  { name: 'answers in 400 ms to 2 s', traffic: { rowsPerSecond: 1 }, latencyMs: [400, 2_000] },
  { name: 'another caller, 1 request/s', traffic: { rowsPerSecond: 1 }, otherCallerEveryMs: 1_000 },
  { name: 'local clock 90 s behind', traffic: { rowsPerSecond: 1 }, skewMs: -90_000 },
  { name: 'local clock 90 s ahead', traffic: { rowsPerSecond: 1 }, skewMs: 90_000 },
  { name: 'local clock 5 min behind', traffic: { rowsPerSecond: 1 }, skewMs: -300_000 },
  { name: 'local clock 5 min ahead', traffic: { rowsPerSecond: 1 }, skewMs: 300_000 },
  { name: 'proxy, path prefixes, one origin', traffic: { rowsPerSecond: 1 }, proxy: true },
]
