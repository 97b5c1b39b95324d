import { retentionMs } from '@cdn/api'
import type { Config, FormatConfig, PrivacyConfig, SinkConfig } from './config.ts'
import { defaults } from './defaults.ts'
import { isBaseUrl, parseListen } from './formats.ts'
import type { Secret } from './secret.ts'
import { formatDuration, parseDuration, parseSize } from './units.ts'

type Defaulted<T, Keys extends PropertyKey> = T extends unknown
  ? Omit<T, Keys> & Partial<Pick<T, Keys & keyof T>>
  : never

/** The configuration as the schema lets it through: texts with their units, and nothing filled in. */
export interface Given {
  readonly loggingUrl?: string
  readonly accessKey?: Secret
  readonly bearer?: Secret
  readonly zones: readonly string[]
  readonly window?: string
  readonly lateness?: string
  readonly looks?: readonly string[]
  readonly margin?: string
  readonly ledger?: string
  readonly fleet?: { readonly postgres: Secret }
  readonly sink: Defaulted<SinkConfig, keyof FormatConfig | 'prefix' | 'region' | 'credentials' | 'headers'>
  readonly privacy?: Partial<PrivacyConfig>
  readonly memory?: string
  readonly listen?: string
}

/** What two settings say against each other, at the setting that is to be changed. */
export interface Contradiction {
  readonly path: readonly (string | number)[]
  readonly sentence: string
}

/**
 * Looks for what the schema cannot see: settings that do not go together.
 *
 * @param given what the schema let through
 * @param env the environment
 * @returns one sentence each
 */
export function contradictions(given: Given, env: NodeJS.ProcessEnv): Contradiction[] {
  const { lateness, looks, margin } = toTimes(given)
  const retention = formatDuration(retentionMs)
  const last = formatDuration(Math.max(0, retentionMs - margin))
  const found: Contradiction[] = []
  const say = (path: Contradiction['path'], sentence: string) => found.push({ path, sentence })
  if (given.accessKey && given.bearer) say(['bearer'], 'accessKey and bearer are both given; give one of them.')
  const variable = env['CDN_LOGGING_URL']
  if (!given.loggingUrl && !variable)
    say([], 'loggingUrl is missing; give it here or in the environment variable CDN_LOGGING_URL.')
  if (!given.loggingUrl && variable && !isBaseUrl(variable))
    say(
      [],
      'The environment variable CDN_LOGGING_URL must be an http or https URL without credentials, query or fragment.',
    )
  if (margin >= retentionMs) say(['margin'], `margin must be less than the retention of ${retention}.`)
  else if (lateness >= retentionMs - margin)
    say(['lateness'], `lateness must be less than ${last}, the retention of ${retention} less the margin.`)
  for (const [n, look] of (given.looks ? looks : []).entries()) {
    const before = looks[n - 1]
    const least = before ?? lateness
    if (look <= least)
      say(
        ['looks', n],
        `looks[${n}] must be more than ${formatDuration(least)}, ${before ? 'the look before it' : 'the lateness'}.`,
      )
    else if (look > retentionMs - margin)
      say(['looks', n], `looks[${n}] must be at most ${last}, the retention of ${retention} less the margin.`)
  }
  return found
}

/** Fills in what was not given. @param given free of contradictions */
export function toConfig(given: Given, env: NodeJS.ProcessEnv): Config {
  const { accessKey = { env: 'CDN_ACCESS_KEY' }, bearer } = given
  const fromEnv =
    !given.accessKey && !env['CDN_ACCESS_KEY'] && env['CDN_BEARER_TOKEN'] ? { env: 'CDN_BEARER_TOKEN' } : undefined
  const token = bearer ?? fromEnv
  return {
    loggingUrl: given.loggingUrl ?? env['CDN_LOGGING_URL'] ?? '',
    credential: token ? { bearer: token } : { accessKey },
    zones: given.zones,
    ...toTimes(given),
    ledger: given.ledger ?? defaults.ledger,
    fleet: given.fleet,
    sink: toSink(given.sink),
    privacy: { ...defaults.privacy, ...given.privacy },
    memory: parseSize(given.memory ?? '') ?? defaults.memory,
    listen: parseListen(given.listen ?? '') ?? defaults.listen,
  }
}

function toTimes({
  window,
  lateness,
  looks,
  margin,
  sink,
}: Given): Pick<Config, 'window' | 'lateness' | 'looks' | 'margin'> {
  const format = ('format' in sink ? sink.format : undefined) ?? defaults.format.format
  const times = { lateness: ms(lateness) ?? defaults.lateness, margin: ms(margin) ?? defaults.margin }
  return {
    window: ms(window) ?? defaults.window[format],
    looks:
      looks?.map((look) => ms(look) ?? 0) ??
      defaults.looks.filter((look) => look > times.lateness && look <= retentionMs - times.margin),
    ...times,
  }
}

const ms = (text: string | undefined) => (text === undefined ? undefined : parseDuration(text))

function toSink(sink: Given['sink']): SinkConfig {
  switch (sink.type) {
    case 'files':
      return { ...defaults.format, ...sink }
    case 's3':
      return { ...defaults.format, prefix: '', region: defaults.region, credentials: awsVariables, ...sink }
    case 'otlp':
      return { headers: {}, ...sink }
    default:
      return sink
  }
}

/** The variables that every tool for S3 reads. */
const awsVariables = {
  accessKeyId: { env: 'AWS_ACCESS_KEY_ID' },
  secretAccessKey: { env: 'AWS_SECRET_ACCESS_KEY' },
}
