import type { StorageClass } from '@aws-sdk/client-s3'
import type { Secret } from './secret.ts'

/** Storage format of a segment in files or an object store. */
export interface FormatConfig {
  readonly format: 'ndjson' | 'parquet'
  /** Only for NDJSON. Parquet always uses zstd internally. */
  readonly compression: 'none' | 'gzip' | 'zstd'
}

export type SinkConfig =
  /** `mode`: the permissions of segment files, as octal digits; 0600 by default. */
  | ({ readonly type: 'files'; readonly path: string; readonly mode?: string } & FormatConfig)
  | ({
      readonly type: 's3'
      readonly endpoint: string
      readonly bucket: string
      readonly prefix: string
      readonly region: string
      /** By default, the AWS library finds the credentials: in the environment, a profile, or from the machine's role. */
      readonly credentials?: {
        readonly accessKeyId: Secret
        readonly secretAccessKey: Secret
        readonly sessionToken?: Secret
      }
      readonly encryption?: 'AES256' | 'aws:kms'
      readonly kmsKeyId?: string
      readonly storageClass?: StorageClass
      /** For a store without conditional PUT. */
      readonly exclusive?: 'one writer'
    } & FormatConfig)
  | ({
      readonly type: 'azure'
      readonly container: string
      readonly prefix: string
      /** By default, the Azure library finds an identity: in the environment, or the machine's. */
      readonly accountKey?: Secret
      readonly sasToken?: Secret
    } & FormatConfig)
  /** The Google library finds the credentials: in the file of GOOGLE_APPLICATION_CREDENTIALS, or the machine's. */
  | ({
      readonly type: 'gcs'
      readonly endpoint: string
      readonly bucket: string
      readonly prefix: string
    } & FormatConfig)
  | { readonly type: 'postgres'; readonly url: Secret }

/** The configuration of one type of sink. */
export type SinkConfigOf<Type extends SinkConfig['type']> = Extract<SinkConfig, { readonly type: Type }>

/** Data that the exporter removes from rows. */
export interface PrivacyConfig {
  readonly authorizationHeader: 'drop' | 'keep'
  readonly queryTokens: 'keep' | 'mask'
  readonly addresses: 'keep' | 'truncate' | 'drop'
  /** Fields that the contract does not state. */
  readonly unknownFields: 'keep' | 'drop'
  /** More names of parameters that `queryTokens` masks. */
  readonly tokenNames: readonly string[]
}

/** One of several exporters that share the zones of a configuration. */
export interface Shard {
  /** Starts at 0. */
  readonly index: number
  readonly of: number
}

/** The checked configuration with defaults. Durations are in milliseconds. */
export interface Config {
  readonly loggingUrl: string
  readonly credential: { readonly accessKey: Secret } | { readonly bearer: Secret }
  /** Ids of pull zones as decimal texts. If `zonesFrom` selects them, there are none until the platform has listed them. */
  readonly zones: readonly string[]
  /** Zones that match `zonesFrom`, but are suspended, disabled or without logging. They are not exported. */
  readonly paused: readonly string[]
  /** Selects zones from the management interface by a pattern of their names, in which `*` matches any text. */
  readonly zonesFrom: { readonly name: string; readonly managementUrl: string } | undefined
  /** Length of a window. An hour is a multiple of it. */
  readonly window: number
  /** Allowed lateness. A window closes this long after its end. */
  readonly lateness: number
  /** Ages at which closed windows are rechecked, ascending. They count from the end of the window. */
  readonly rechecks: readonly number[]
  /** Time between the deadline of a window, by which it must have been read, and the end of its retention. */
  readonly margin: number
  /** Folder of the ledger, its lock, and the rejects. */
  readonly ledger: string
  /** The shard of this exporter; undefined if it exports all zones alone. */
  readonly shard: Shard | undefined
  readonly sink: SinkConfig
  /** Whether the rows are also written to standard output. */
  readonly stdout: boolean
  readonly privacy: PrivacyConfig
  /** Whether requests from the edge to the origin shield are exported, too. Their rows look like rows of visitors. */
  readonly includeOriginShield: boolean
  readonly listen: { readonly host: string; readonly port: number }
}
