import { retentionMs } from '@cdn/api'
import { assertDefined } from '@cdn/kit/assert-defined'
import { plainUrl } from '@cdn/kit/http-url'
import { hourMs as hour, minuteMs as minute } from '@cdn/kit/time'
import type { Config } from './config.ts'
import type { Secret } from './secret.ts'
import { formatDuration, parseConfigDuration, parseListen } from './values.ts'

/** Parquet has longer windows: with five minutes, the footer of a file would outweigh its rows. */
const defaultWindow = { ndjson: 5 * minute, parquet: hour }
const defaultRechecks = [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour]

/** The configuration of the file, with the defaults of the schema. Durations are texts with units, such as `5m`. */
export interface RawConfig
  extends Pick<Config, 'ledger' | 'sink' | 'stdout' | 'privacy' | 'includeOriginShield'>,
    Readonly<Record<'lateness' | 'margin' | 'listen', string>> {
  readonly loggingUrl?: string
  readonly accessKey?: Secret
  readonly bearer?: Secret
  readonly managementUrl?: string
  readonly zones: readonly string[] | { readonly from: 'management'; readonly name?: string }
  readonly window?: string
  readonly rechecks?: readonly string[]
}

/** A contradiction between two settings, and the setting to change. */
export interface Contradiction {
  readonly path: readonly (string | number)[]
  readonly sentence: string
}

/**
 * Converts a configuration: fills in the defaults that depend on other settings, and finds mistakes that the schema cannot express.
 *
 * @param raw a configuration that matches the schema
 * @param env the environment
 * @returns the configuration, which is only usable without contradictions
 */
export function resolveConfig(
  raw: RawConfig,
  env: NodeJS.ProcessEnv,
): { readonly config: Config; readonly contradictions: readonly Contradiction[] } {
  const config = toConfig(raw, env)
  return { config, contradictions: rules.flatMap((rule) => rule(config, raw, env) ?? []) }
}

function toConfig(raw: RawConfig, env: NodeJS.ProcessEnv): Config {
  const { zones, ledger, sink, stdout, privacy, includeOriginShield } = raw
  const [lateness, margin] = [toMs(raw.lateness), toMs(raw.margin)]
  const usualRechecks = defaultRechecks.filter((recheck) => recheck > lateness && recheck <= retentionMs - margin)
  const managementUrl = raw.managementUrl ?? env['CDN_MANAGEMENT_URL'] ?? ''
  return {
    loggingUrl: raw.loggingUrl ?? env['CDN_LOGGING_URL'] ?? '',
    credential: toCredential(raw, env),
    zones: 'from' in zones ? [] : zones,
    paused: [],
    zonesFrom: 'from' in zones ? { name: zones.name ?? '*', managementUrl } : undefined,
    window: raw.window === undefined ? defaultWindow['format' in sink ? sink.format : 'ndjson'] : toMs(raw.window),
    ...{ lateness, margin, rechecks: raw.rechecks?.map(toMs) ?? usualRechecks },
    ledger,
    shard: undefined,
    ...{ sink, stdout, privacy, includeOriginShield },
    listen: assertDefined(parseListen(raw.listen)),
  }
}

function toCredential({ accessKey, bearer }: RawConfig, env: NodeJS.ProcessEnv): Config['credential'] {
  if (bearer) return { bearer }
  if (accessKey || env['CDN_ACCESS_KEY'] || !env['CDN_BEARER_TOKEN'])
    return { accessKey: accessKey ?? { env: 'CDN_ACCESS_KEY' } }
  return { bearer: { env: 'CDN_BEARER_TOKEN' } }
}

const toMs = (text: string) => assertDefined(parseConfigDuration(text))

type Rule = (
  config: Config,
  raw: RawConfig,
  env: NodeJS.ProcessEnv,
) => Contradiction | readonly Contradiction[] | undefined

const broken = (path: Contradiction['path'], sentence: string): Contradiction => ({ path, sentence })

function limitOf({ margin }: Config): string {
  const retention = formatDuration(retentionMs)
  return `${formatDuration(Math.max(0, retentionMs - margin))}, the retention of ${retention} less the margin`
}

const rules: readonly Rule[] = [
  (_, { accessKey, bearer }) =>
    accessKey && bearer && broken(['bearer'], 'accessKey and bearer are both given; keep one of them.'),

  ({ loggingUrl, zonesFrom }, raw, env) =>
    [
      { variable: 'CDN_LOGGING_URL', isUsed: !raw.loggingUrl && loggingUrl },
      { variable: 'CDN_MANAGEMENT_URL', isUsed: !raw.managementUrl && zonesFrom?.managementUrl },
    ].flatMap(({ variable, isUsed }) => {
      const must = 'must be an http or https URL without credentials, query or fragment'
      return isUsed && !plainUrl(env[variable] ?? '')
        ? [broken([], `The environment variable ${variable} ${must}.`)]
        : []
    }),

  ({ loggingUrl }) =>
    loggingUrl
      ? undefined
      : broken([], 'loggingUrl is missing; give it here or in the environment variable CDN_LOGGING_URL.'),

  ({ zonesFrom }) => {
    const sentence = 'managementUrl is missing, but zones from the management interface need it'
    const place = 'give it here or in the environment variable CDN_MANAGEMENT_URL'
    return zonesFrom?.managementUrl === '' ? broken(['zones'], `${sentence}; ${place}.`) : undefined
  },

  ({ sink }) =>
    sink.type === 's3' && sink.kmsKeyId && sink.encryption !== 'aws:kms'
      ? broken(['sink', 'kmsKeyId'], 'sink.kmsKeyId needs sink.encryption: aws:kms.')
      : undefined,

  ({ sink }) =>
    sink.type === 'azure' && sink.accountKey && sink.sasToken
      ? broken(['sink', 'sasToken'], 'sink.accountKey and sink.sasToken are both given; keep one of them.')
      : undefined,

  ({ margin }) =>
    margin < retentionMs
      ? undefined
      : broken(['margin'], `margin must be less than the retention of ${formatDuration(retentionMs)}.`),

  (config) =>
    config.margin >= retentionMs || config.lateness < retentionMs - config.margin
      ? undefined
      : broken(['lateness'], `lateness must be less than ${limitOf(config)}.`),

  (config) =>
    config.rechecks.flatMap((recheck, n) => {
      const { lateness, margin, rechecks } = config
      const previous = rechecks[n - 1] ?? lateness
      const what = n > 0 ? 'the recheck before it' : 'the lateness'
      const at = `rechecks[${n}] must be`
      if (recheck <= previous) return broken(['rechecks', n], `${at} more than ${formatDuration(previous)}, ${what}.`)
      const limit = Math.max(0, retentionMs - margin)
      return recheck <= limit ? [] : broken(['rechecks', n], `${at} at most ${limitOf(config)}.`)
    }),
]
