const minute = 60_000
const hour = 60 * minute

/** The numbers and choices of the exporter where the configuration names none (design §7). Milliseconds and bytes. */
export const defaults = {
  /** A Parquet file of five minutes would hardly be worth its footer. */
  window: { ndjson: 5 * minute, parquet: hour },
  lateness: 5 * minute,
  looks: [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour],
  margin: 2 * hour,
  ledger: './state',
  memory: 40e6,
  listen: { host: '127.0.0.1', port: 9464 },
  format: { format: 'ndjson', compression: 'zstd' },
  region: 'us-east-1',
  privacy: { authorizationHeader: 'drop', queryTokens: 'keep', addresses: 'keep' },
} as const
