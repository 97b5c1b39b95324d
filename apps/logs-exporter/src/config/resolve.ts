import { retentionMs } from '@cdn/api'
import { defined } from '@cdn/kit/defined'
import { hourMs as hour } from '@cdn/kit/time'
import type { Config, DeliveryConfig } from './config.ts'
import type { Secret } from './secret.ts'
import { formatDuration, isBaseUrl, parseConfigDuration, parseListen, parseSize } from './values.ts'

const minute = 60_000
/** Parquet has longer windows: with five minutes, the footer of a file would outweigh its rows. */
const defaultWindow = { ndjson: 5 * minute, parquet: hour }
const defaultRechecks = [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour]

/** A configuration that matches the schema. Values are texts with units. The schema has filled in its defaults. */
export interface RawConfig
  extends Pick<Config, 'ledger' | 'sink' | 'privacy' | 'includeOriginShield'>,
    Readonly<Record<'lateness' | 'margin' | 'memory' | 'listen', string>> {
  readonly loggingUrl?: string
  readonly accessKey?: Secret
  readonly bearer?: Secret
  readonly managementUrl?: string
  readonly zones: readonly string[] | { readonly from: 'management'; readonly name?: string }
  readonly window?: string
  readonly rechecks?: readonly string[]
  readonly deliver: readonly RawDelivery[]
}

/** A delivery without a name is named after its type. */
type RawDelivery = DeliveryConfig extends infer Each
  ? Each extends DeliveryConfig
    ? Omit<Each, 'name'> & { readonly name?: string }
    : never
  : never

/** A contradiction between two settings, and the setting to change. */
export interface Contradiction {
  readonly path: readonly (string | number)[]
  readonly sentence: string
}

/**
 * Finds mistakes that the schema cannot express: settings that contradict each other.
 *
 * @param raw a configuration that matches the schema
 * @param env the environment
 * @returns one entry per contradiction
 */
export function contradictions(raw: RawConfig, env: NodeJS.ProcessEnv): Contradiction[] {
  const { lateness, rechecks, margin } = toTimes(raw)
  const retention = formatDuration(retentionMs)
  const last = formatDuration(Math.max(0, retentionMs - margin))
  const list: Contradiction[] = []
  const say = (path: Contradiction['path'], sentence: string) => list.push({ path, sentence })
  if (raw.accessKey && raw.bearer) say(['bearer'], 'accessKey and bearer are both given; keep one of them.')
  if (!raw.loggingUrl && !env['CDN_LOGGING_URL'])
    say([], 'loggingUrl is missing; give it here or in the environment variable CDN_LOGGING_URL.')
  const zonesFrom = toZonesFrom(raw, env)
  if (zonesFrom?.managementUrl === '') {
    const what = 'managementUrl is missing, but zones from the management interface need it'
    say(['zones'], `${what}; give it here or in the environment variable CDN_MANAGEMENT_URL.`)
  }
  const checkVariable = (name: string) => {
    if (env[name] && !isBaseUrl(env[name]))
      say([], `The environment variable ${name} must be an http or https URL without credentials, query or fragment.`)
  }
  if (!raw.loggingUrl) checkVariable('CDN_LOGGING_URL')
  if (zonesFrom && !raw.managementUrl) checkVariable('CDN_MANAGEMENT_URL')
  if (raw.sink.type === 's3' && raw.sink.kmsKeyId && raw.sink.encryption !== 'aws:kms')
    say(['sink', 'kmsKeyId'], 'sink.kmsKeyId needs sink.encryption: aws:kms.')
  if (raw.sink.type === 'azure' && raw.sink.accountKey && raw.sink.sasToken)
    say(['sink', 'sasToken'], 'sink.accountKey and sink.sasToken are both given; keep one of them.')
  if (margin >= retentionMs) say(['margin'], `margin must be less than the retention of ${retention}.`)
  else if (lateness >= retentionMs - margin)
    say(['lateness'], `lateness must be less than ${last}, the retention of ${retention} less the margin.`)
  for (const [n, recheck] of (raw.rechecks ? rechecks : []).entries()) {
    const before = rechecks[n - 1]
    const previous = before ?? lateness
    if (recheck <= previous)
      say(
        ['rechecks', n],
        `rechecks[${n}] must be more than ${formatDuration(previous)}, ${before ? 'the recheck before it' : 'the lateness'}.`,
      )
    else if (recheck > retentionMs - margin)
      say(['rechecks', n], `rechecks[${n}] must be at most ${last}, the retention of ${retention} less the margin.`)
  }
  const names = raw.deliver.map(({ name, type }) => name ?? type)
  for (const [n, name] of names.entries())
    if (names.indexOf(name) < n)
      say(['deliver', n], `deliver[${n}] needs a name of its own, because another delivery is named ${name}.`)
  return list
}

/** Converts a configuration, and fills in the defaults that depend on other settings. @param raw must have no contradictions */
export function toConfig(raw: RawConfig, env: NodeJS.ProcessEnv): Config {
  const { accessKey = { env: 'CDN_ACCESS_KEY' }, ledger, sink, privacy, includeOriginShield } = raw
  const fromEnv =
    !raw.accessKey && !env['CDN_ACCESS_KEY'] && env['CDN_BEARER_TOKEN'] ? { env: 'CDN_BEARER_TOKEN' } : undefined
  const bearer = raw.bearer ?? fromEnv
  return {
    loggingUrl: defined(raw.loggingUrl ?? env['CDN_LOGGING_URL']),
    credential: bearer ? { bearer } : { accessKey },
    zones: isList(raw.zones) ? raw.zones : [],
    zonesFrom: toZonesFrom(raw, env),
    ...toTimes(raw),
    ledger,
    shard: undefined,
    sink,
    deliver: raw.deliver.map((each) => ({ ...each, name: each.name ?? each.type })),
    privacy,
    includeOriginShield,
    memory: defined(parseSize(raw.memory)),
    listen: defined(parseListen(raw.listen)),
  }
}

/** Like `Array.isArray`, which does not narrow readonly arrays. */
const isList = (zones: RawConfig['zones']): zones is readonly string[] => Array.isArray(zones)

function toZonesFrom({ zones, managementUrl }: RawConfig, env: NodeJS.ProcessEnv): Config['zonesFrom'] {
  if (isList(zones)) return undefined
  return { name: zones.name ?? '*', managementUrl: managementUrl ?? env['CDN_MANAGEMENT_URL'] ?? '' }
}

function toTimes(raw: RawConfig): Pick<Config, 'window' | 'lateness' | 'rechecks' | 'margin'> {
  const duration = (text: string) => defined(parseConfigDuration(text))
  const [lateness, margin] = [duration(raw.lateness), duration(raw.margin)]
  const format = 'format' in raw.sink ? raw.sink.format : 'ndjson'
  return {
    window: raw.window === undefined ? defaultWindow[format] : duration(raw.window),
    lateness,
    rechecks:
      raw.rechecks?.map(duration) ??
      defaultRechecks.filter((recheck) => recheck > lateness && recheck <= retentionMs - margin),
    margin,
  }
}
