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
  const contradictions: Contradiction[] = []
  const say = (path: Contradiction['path'], sentence: string) => contradictions.push({ path, sentence })
  const { zones, ledger, sink, privacy, includeOriginShield } = raw

  if (raw.accessKey && raw.bearer) say(['bearer'], 'accessKey and bearer are both given; keep one of them.')
  const isBearerInEnv = !raw.accessKey && !env['CDN_ACCESS_KEY'] && env['CDN_BEARER_TOKEN']
  const bearer = raw.bearer ?? (isBearerInEnv ? { env: 'CDN_BEARER_TOKEN' } : undefined)

  const checkVariable = (name: string) => {
    if (env[name] && !isBaseUrl(env[name]))
      say([], `The environment variable ${name} must be an http or https URL without credentials, query or fragment.`)
    return env[name] ?? ''
  }
  const loggingUrl = raw.loggingUrl ?? checkVariable('CDN_LOGGING_URL')
  if (!loggingUrl) say([], 'loggingUrl is missing; give it here or in the environment variable CDN_LOGGING_URL.')
  const zonesFrom = isList(zones)
    ? undefined
    : { name: zones.name ?? '*', managementUrl: raw.managementUrl ?? checkVariable('CDN_MANAGEMENT_URL') }
  if (zonesFrom?.managementUrl === '') {
    const what = 'managementUrl is missing, but zones from the management interface need it'
    say(['zones'], `${what}; give it here or in the environment variable CDN_MANAGEMENT_URL.`)
  }

  if (sink.type === 's3' && sink.kmsKeyId && sink.encryption !== 'aws:kms')
    say(['sink', 'kmsKeyId'], 'sink.kmsKeyId needs sink.encryption: aws:kms.')
  if (sink.type === 'azure' && sink.accountKey && sink.sasToken)
    say(['sink', 'sasToken'], 'sink.accountKey and sink.sasToken are both given; keep one of them.')

  const duration = (text: string) => defined(parseConfigDuration(text))
  const [lateness, margin] = [duration(raw.lateness), duration(raw.margin)]
  const maxAge = retentionMs - margin
  const last = `${formatDuration(Math.max(0, maxAge))}, the retention of ${formatDuration(retentionMs)} less the margin`
  if (maxAge <= 0) say(['margin'], `margin must be less than the retention of ${formatDuration(retentionMs)}.`)
  else if (lateness >= maxAge) say(['lateness'], `lateness must be less than ${last}.`)
  const rechecks =
    raw.rechecks?.map(duration) ?? defaultRechecks.filter((recheck) => recheck > lateness && recheck <= maxAge)
  for (const [n, recheck] of rechecks.entries()) {
    const before = rechecks[n - 1]
    const [previous, what] = before ? [before, 'the recheck before it'] : [lateness, 'the lateness']
    if (recheck <= previous)
      say(['rechecks', n], `rechecks[${n}] must be more than ${formatDuration(previous)}, ${what}.`)
    else if (recheck > maxAge) say(['rechecks', n], `rechecks[${n}] must be at most ${last}.`)
  }

  const deliver = raw.deliver.map((each) => ({ ...each, name: each.name ?? each.type }))
  const names = deliver.map(({ name }) => name)
  for (const [n, name] of names.entries())
    if (names.indexOf(name) < n)
      say(['deliver', n], `deliver[${n}] needs a name of its own, because another delivery is named ${name}.`)

  const config: Config = {
    loggingUrl,
    credential: bearer ? { bearer } : { accessKey: raw.accessKey ?? { env: 'CDN_ACCESS_KEY' } },
    zones: isList(zones) ? zones : [],
    paused: [],
    zonesFrom,
    window: raw.window === undefined ? defaultWindow['format' in sink ? sink.format : 'ndjson'] : duration(raw.window),
    ...{ lateness, rechecks, margin },
    ledger,
    shard: undefined,
    ...{ sink, deliver, privacy, includeOriginShield },
    memory: defined(parseSize(raw.memory)),
    listen: defined(parseListen(raw.listen)),
  }
  return { config, contradictions }
}

/** Like `Array.isArray`, which does not narrow readonly arrays. */
const isList = (zones: RawConfig['zones']): zones is readonly string[] => Array.isArray(zones)
