import type { Secret } from './secret.ts'

/** How a segment of files or S3 is written. */
export interface FormatConfig {
  readonly format: 'ndjson' | 'parquet'
  readonly compression: 'none' | 'gzip' | 'zstd'
}

/** Where segments go, and how. */
export type SinkConfig =
  | ({ readonly type: 'files'; readonly path: string } & FormatConfig)
  | ({
      readonly type: 's3'
      readonly endpoint: string
      readonly bucket: string
      readonly prefix: string
      readonly region: string
      readonly credentials: {
        readonly accessKeyId: Secret
        readonly secretAccessKey: Secret
        readonly sessionToken?: Secret
      }
    } & FormatConfig)
  | { readonly type: 'postgres'; readonly url: Secret }
  | { readonly type: 'otlp'; readonly endpoint: string; readonly headers: Readonly<Record<string, Secret>> }
  | { readonly type: 'stdout' }

/** What is taken out of rows before they leave the exporter. */
export interface PrivacyConfig {
  readonly authorizationHeader: 'drop' | 'keep'
  readonly queryTokens: 'keep' | 'mask'
  readonly addresses: 'keep' | 'truncate' | 'drop'
}

/** The configuration, checked and with its defaults filled in. Durations in milliseconds, sizes in bytes. */
export interface Config {
  /** Base URL of the logging interface. */
  readonly loggingUrl: string
  readonly credential: { readonly accessKey: Secret } | { readonly bearer: Secret }
  /** Ids of pull zones, as decimal texts. */
  readonly zones: readonly string[]
  /** Length of a window; divides an hour. */
  readonly window: number
  /** The allowed lateness: a window has settled so long after its end. */
  readonly lateness: number
  /** Ages at which settled windows are looked at again, ascending. */
  readonly looks: readonly number[]
  /** How long before the end of the retention a window must have been read. */
  readonly margin: number
  /** Folder of the ledger, its lock, and the rejects. */
  readonly ledger: string
  /** The database that shares the zones between workers; undefined for one process. */
  readonly fleet: { readonly postgres: Secret } | undefined
  readonly sink: SinkConfig
  readonly privacy: PrivacyConfig
  /** Bytes in flight over all zones. */
  readonly memory: number
  /** Where metrics and health are served. */
  readonly listen: { readonly host: string; readonly port: number }
}
