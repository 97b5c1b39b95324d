import { retentionMs } from '@cdn/api'
import { defined } from '@cdn/kit/defined'
import type { Config, FormatConfig, PrivacyConfig, SinkConfig } from './config.ts'
import { defaults } from './defaults.ts'
import { isBaseUrl, parseListen } from './formats.ts'
import type { Secret } from './secret.ts'
import { formatDuration, parseConfigDuration, parseSize } from './units.ts'

type Defaulted<T, Keys extends PropertyKey> = T extends unknown
  ? Omit<T, Keys> & Partial<Pick<T, Keys & keyof T>>
  : never

/** A configuration that matches the schema. Values are texts with units, and defaults are missing. */
export interface RawConfig {
  readonly loggingUrl?: string
  readonly accessKey?: Secret
  readonly bearer?: Secret
  readonly managementUrl?: string
  readonly zones: readonly string[] | { readonly from: 'management'; readonly name?: string }
  readonly window?: string
  readonly lateness?: string
  readonly rechecks?: readonly string[]
  readonly margin?: string
  readonly ledger?: string
  readonly sink: Defaulted<SinkConfig, keyof FormatConfig | 'prefix' | 'region' | 'headers'>
  readonly privacy?: Partial<PrivacyConfig>
  readonly includeOriginShield?: boolean
  readonly memory?: string
  readonly listen?: string
}

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
  return list
}

/** Fills in the defaults. @param raw must have no contradictions */
export function toConfig(raw: RawConfig, env: NodeJS.ProcessEnv): Config {
  const { accessKey = { env: 'CDN_ACCESS_KEY' }, bearer } = raw
  const fromEnv =
    !raw.accessKey && !env['CDN_ACCESS_KEY'] && env['CDN_BEARER_TOKEN'] ? { env: 'CDN_BEARER_TOKEN' } : undefined
  const token = bearer ?? fromEnv
  return {
    loggingUrl: defined(raw.loggingUrl ?? env['CDN_LOGGING_URL']),
    credential: token ? { bearer: token } : { accessKey },
    zones: isList(raw.zones) ? raw.zones : [],
    zonesFrom: toZonesFrom(raw, env),
    ...toTimes(raw),
    ledger: raw.ledger ?? defaults.ledger,
    shard: undefined,
    sink: toSink(raw.sink),
    privacy: { ...defaults.privacy, ...raw.privacy },
    includeOriginShield: raw.includeOriginShield ?? defaults.includeOriginShield,
    memory: given(raw.memory, parseSize) ?? defaults.memory,
    listen: given(raw.listen, parseListen) ?? defaults.listen,
  }
}

/** Like `Array.isArray`, which does not narrow readonly arrays. */
const isList = (zones: RawConfig['zones']): zones is readonly string[] => Array.isArray(zones)

function toZonesFrom({ zones, managementUrl }: RawConfig, env: NodeJS.ProcessEnv): Config['zonesFrom'] {
  if (isList(zones)) return undefined
  return { name: zones.name ?? '*', managementUrl: managementUrl ?? env['CDN_MANAGEMENT_URL'] ?? '' }
}

function toTimes({
  window,
  lateness,
  rechecks,
  margin,
  sink,
}: RawConfig): Pick<Config, 'window' | 'lateness' | 'rechecks' | 'margin'> {
  const format = ('format' in sink ? sink.format : undefined) ?? defaults.format.format
  const times = {
    lateness: given(lateness, parseConfigDuration) ?? defaults.lateness,
    margin: given(margin, parseConfigDuration) ?? defaults.margin,
  }
  return {
    window: given(window, parseConfigDuration) ?? defaults.window[format],
    rechecks:
      rechecks?.map((recheck) => defined(parseConfigDuration(recheck))) ??
      defaults.rechecks.filter((recheck) => recheck > times.lateness && recheck <= retentionMs - times.margin),
    ...times,
  }
}

/** Parses a setting; undefined if it is omitted. */
function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text)
}

function toSink(sink: RawConfig['sink']): SinkConfig {
  switch (sink.type) {
    case 'files':
      return { ...defaults.format, ...sink }
    case 's3':
      return { ...defaults.format, prefix: '', region: defaults.region, ...sink }
    case 'otlp':
      return { headers: {}, ...sink }
    default:
      return sink
  }
}
