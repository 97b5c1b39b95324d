import { hourMs as hour } from '@cdn/kit/time'

const minute = 60_000

/** Defaults of the configuration (docs/exporter.md), in milliseconds and bytes. */
export const defaults = {
  /** Parquet has longer windows: with five minutes, the footer of a file would outweigh its rows. */
  window: { ndjson: 5 * minute, parquet: hour },
  lateness: 5 * minute,
  rechecks: [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour],
  margin: 2 * hour,
  ledger: './state',
  /** As in version 1 and by the platform's default. Nothing in a row tells such a request from that of a visitor. */
  includeOriginShield: false,
  memory: 40e6,
  listen: { host: '127.0.0.1', port: 9464 },
  format: { format: 'ndjson', compression: 'zstd' },
  region: 'us-east-1',
  privacy: { authorizationHeader: 'drop', queryTokens: 'keep', addresses: 'keep' },
} as const
