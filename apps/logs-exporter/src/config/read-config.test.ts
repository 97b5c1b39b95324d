import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigurationError } from '../errors.ts'
import { parseConfig } from './read-config.ts'
import schema from './schema.json' with { type: 'json' }
import { readSecret } from './secret.ts'

const minimal = `loggingUrl: https://logging.example
zones: ["123"]
sink: {type: files, path: ./logs}
`

const parse = (text: string, env: NodeJS.ProcessEnv = {}) => parseConfig(text, 'config.yaml', env)

function mistakes(text: string, env: NodeJS.ProcessEnv = {}): string {
  try {
    parse(text, env)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  return 'no mistake'
}

test('the schema is valid: the program does not check this at its start', () => {
  const ajv = new Ajv()
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true)
})

test('the minimal configuration has the defaults', () => {
  expect(parse(minimal)).toEqual({
    loggingUrl: 'https://logging.example',
    credential: { accessKey: { env: 'CDN_ACCESS_KEY' } },
    zones: ['123'],
    paused: [],
    zonesFrom: undefined,
    window: 300_000,
    lateness: 300_000,
    rechecks: [600_000, 3_600_000, 21_600_000, 86_400_000, 172_800_000, 252_000_000],
    margin: 7_200_000,
    ledger: './state',
    shard: undefined,
    sink: { type: 'files', path: './logs', format: 'ndjson', compression: 'zstd' },
    stdout: false,
    includeOriginShield: false,
    privacy: {
      authorizationHeader: 'drop',
      queryTokens: 'keep',
      addresses: 'keep',
      unknownFields: 'keep',
      tokenNames: [],
    },
    listen: { host: '127.0.0.1', port: 9464 },
  })
})

test('every setting has an effect; comments and units work', () => {
  const config = parse(`
bearer: {file: /run/secrets/token} # rotated
loggingUrl: http://localhost:4011
zones: ["1", "9223372036854775807"]
window: 90s
lateness: 0s
rechecks: [15m, 1.5h]
margin: 1d
ledger: /var/lib/exporter
sink:
  type: s3
  endpoint: https://s3.example
  bucket: logs
  compression: gzip
  credentials: {accessKeyId: {env: KEY}, secretAccessKey: {env: SECRET}}
  encryption: aws:kms
  kmsKeyId: alias/logs
  storageClass: STANDARD_IA
includeOriginShield: true
privacy: {addresses: truncate}
listen: "[::1]:0"
`)
  expect(config).toMatchObject({
    credential: { bearer: { file: '/run/secrets/token' } },
    window: 90_000,
    lateness: 0,
    rechecks: [900_000, 5_400_000],
    margin: 86_400_000,
    shard: undefined,
    sink: {
      prefix: '',
      region: 'us-east-1',
      format: 'ndjson',
      compression: 'gzip',
      credentials: { accessKeyId: { env: 'KEY' } },
      encryption: 'aws:kms',
      kmsKeyId: 'alias/logs',
      storageClass: 'STANDARD_IA',
    },
    includeOriginShield: true,
    privacy: { authorizationHeader: 'drop', queryTokens: 'keep', addresses: 'truncate' },
    listen: { host: '::1', port: 0 },
  })
})

test('the default window of Parquet is an hour', () => {
  expect(parse(minimal.replace('./logs', './logs, format: parquet')).window).toBe(3_600_000)
  expect(parse(`${minimal.replace('./logs', './logs, format: parquet')}window: 5m`).window).toBe(300_000)
})

test('a long lateness drops the default rechecks before it, a wide margin those after it', () => {
  expect(parse(`${minimal}lateness: 20m\nmargin: 24h`).rechecks).toEqual([
    3_600_000, 21_600_000, 86_400_000, 172_800_000,
  ])
})

test('variables replace the address and the credential', () => {
  const text = 'zones: ["1"]\nsink: {type: files, path: logs}'
  const env = { CDN_LOGGING_URL: 'https://from.env', CDN_BEARER_TOKEN: 't' }
  expect(parse(text, env)).toMatchObject({
    loggingUrl: 'https://from.env',
    credential: { bearer: { env: 'CDN_BEARER_TOKEN' } },
  })
  expect(parse(text, { ...env, CDN_ACCESS_KEY: 'k' }).credential).toEqual({ accessKey: { env: 'CDN_ACCESS_KEY' } })
})

test('any value may have variables with defaults; only an unquoted value becomes a number or a boolean', () => {
  const text = (bucket: string) => `loggingUrl: \${URL}
zones: ["\${ZONE}"]
includeOriginShield: \${SHIELD:-true}
listen: 127.0.0.1:\${PORT:-9464} # \${NOT_READ}
sink: { type: s3, endpoint: "https://\${HOST:-s3.example}", bucket: "${bucket}" }
`
  const env = { URL: 'https://logging.example', ZONE: '123', PORT: '', HOST: 'store.example' }
  expect(parse(text(`logs-\${ZONE}-$\${ZONE}`), env)).toMatchObject({
    loggingUrl: 'https://logging.example',
    zones: ['123'],
    includeOriginShield: true,
    listen: { port: 9464 },
    sink: { endpoint: 'https://store.example', bucket: `logs-123-\${ZONE}` },
  })
  expect(mistakes(text(`\${1X}`), { PORT: 'x y' })).toBe(`\
config.yaml:1: The environment variable URL is not set; set it, or write \${URL:-default}.
config.yaml:2: The environment variable ZONE is not set; set it, or write \${ZONE:-default}.
config.yaml:5: Invalid variable: expected \${NAME} or \${NAME:-default}; write $\${ for the text \${.`)
})

test('a message shows the name of a variable, not its value', () => {
  expect(mistakes(`${minimal}listen: \${LISTEN}\n`, { LISTEN: 'geheim' })).toBe(
    `config.yaml:4: listen must be an address and a port, such as 127.0.0.1:9464; the value comes from \${LISTEN}.`,
  )
})

test('zones can be selected by name from the account', () => {
  const text =
    'zones: {from: management, name: "shop-*"}\nsink: {type: files, path: logs}\nloggingUrl: https://a.example\n'
  const filter = { name: 'shop-*', managementUrl: 'https://m.example' }
  expect(parse(`${text}managementUrl: https://m.example`)).toMatchObject({ zones: [], zonesFrom: filter })
  expect(parse(text, { CDN_MANAGEMENT_URL: 'https://m.example' }).zonesFrom).toEqual(filter)
  expect(mistakes(text)).toMatch(/^config.yaml:1: managementUrl is missing, but zones from the management/)
  expect(mistakes(text.replace('management,', 'there,'))).toContain('config.yaml:1: zones.from must be management')
})

describe('the message names the line of a mistake and what would be right', () => {
  const cases: [text: string, message: string][] = [
    [
      `${minimal}zone: 1`,
      'config.yaml:4: zone is not a setting; expected loggingUrl, managementUrl, accessKey, bearer, zones, window, lateness, rechecks, margin, ledger, sink, stdout, privacy, includeOriginShield, listen.',
    ],
    [
      `${minimal}privacy:\n  addresses: drop\n  adresses: drop`,
      'config.yaml:6: privacy.adresses is not a setting; expected authorizationHeader, queryTokens, addresses, unknownFields, tokenNames.',
    ],
    [
      `${minimal}`.replace('path:', 'bucket: b, path:'),
      'config.yaml:3: sink.bucket is not a setting; expected type, path, mode, format, compression.',
    ],
    ['loggingUrl: https://a.example\nsink: {type: files, path: logs}', 'config.yaml:1: zones is missing.'],
    [
      `${minimal}window: 5`,
      'config.yaml:4: window must be whole seconds that divide an hour, such as 5m or 90s, not 5.',
    ],
    [
      `${minimal}window: 7m`,
      'config.yaml:4: window must be whole seconds that divide an hour, such as 5m or 90s, not "7m".',
    ],
    [
      minimal.replace('"123"', '123'),
      'config.yaml:2: zones[0] must be the id of a pull zone in quotes, such as "123", not 123.',
    ],
    [
      minimal.replace('123', '9223372036854775808'),
      'config.yaml:2: zones[0] must be the id of a pull zone in quotes, such as "123", not "9223372036854775808".',
    ],
    [
      minimal.replace('"123"', '"123", "123"'),
      'config.yaml:2: zones must be a list of at least one pull zone, without duplicates, or a mapping such as {from: management, name: "shop-*"}.',
    ],
    [
      minimal.replace('files', 'file'),
      'config.yaml:3: sink must be a mapping with a type: files, s3, azure, gcs or postgres.',
    ],
    [`${minimal}stdout: yes please`, 'config.yaml:4: stdout must be true or false, not "yes please".'],
    [
      `${minimal}rechecks:\n  - 10m\n  - 10m`,
      'config.yaml:6: rechecks[1] must be more than 10m, the recheck before it.',
    ],
    [`${minimal}rechecks: [5m]`, 'config.yaml:4: rechecks[0] must be more than 5m, the lateness.'],
    [
      `${minimal}rechecks: [71h]`,
      'config.yaml:4: rechecks[0] must be at most 70h, the retention of 72h less the margin.',
    ],
    [`${minimal}margin: 3d`, 'config.yaml:4: margin must be less than the retention of 72h.'],
    [`${minimal}lateness: 70h`, 'config.yaml:4: lateness must be less than 70h, the retention of 72h less the margin.'],
    [
      'zones: ["1"]\nloggingUrl: https://a.example\nsink: {type: s3, endpoint: https://s3.example, bucket: b, kmsKeyId: k}',
      'config.yaml:3: sink.kmsKeyId needs sink.encryption: aws:kms.',
    ],
    [
      'zones: ["1"]\nloggingUrl: https://a.example\nsink: {type: azure, container: "https://a.blob.core.windows.net/logs?sig=geheim"}',
      'config.yaml:3: sink.container must be the URL of a container without credentials or query, such as https://ACCOUNT.blob.core.windows.net/logs.',
    ],
    [
      'zones: ["1"]\nloggingUrl: https://a.example\nsink: {type: azure, container: "https://a.blob.core.windows.net/logs", accountKey: {env: A}, sasToken: {env: B}}',
      'config.yaml:3: sink.accountKey and sink.sasToken are both given; keep one of them.',
    ],
    [
      'zones: ["1"]\nloggingUrl: https://a.example\nsink: {type: s3, endpoint: https://s3.example, bucket: b, exclusive: true}',
      'config.yaml:3: sink.exclusive must be one writer, if the store has no conditional PUT, not true.',
    ],
    [
      `${minimal.replace('./logs', './logs, mode: 0640')}`,
      'config.yaml:3: sink.mode must be the permissions of segment files in quotes, such as "0640", not 0640.',
    ],
    [
      `${minimal}listen: localhost:99999`,
      'config.yaml:4: listen must be an address and a port, such as 127.0.0.1:9464, not "localhost:99999".',
    ],
    [
      `${minimal}accessKey: {env: A}\nbearer: {env: B}`,
      'config.yaml:5: accessKey and bearer are both given; keep one of them.',
    ],
    [
      `${minimal}accessKey: {env: A, file: b}`,
      'config.yaml:4: accessKey must be {env: NAME} or {file: PATH}; this file must not hold a secret.',
    ],
    [`${minimal}window: [5m`, 'config.yaml:4: Invalid YAML: bad indent.'],
    [`${minimal}window: 5m\nwindow: 6m`, 'config.yaml:5: Invalid YAML: duplicate key.'],
    [
      '',
      'config.yaml:1: The configuration must be a mapping of settings; cdn-logs-exporter config schema describes them.',
    ],
    [
      'zones: ["1"]\nsink: {type: files, path: logs}',
      'config.yaml:1: loggingUrl is missing; give it here or in the environment variable CDN_LOGGING_URL.',
    ],
  ]
  test.each(cases)('the mistake in %j', (text, message) => expect(mistakes(text)).toBe(message))

  test('several mistakes are sorted by line', () => {
    expect(mistakes(`${minimal}window: 1\nlateness: 2\nlisten: 3`).match(/yaml:\d+/g)).toEqual([
      'yaml:4',
      'yaml:5',
      'yaml:6',
    ])
  })

  test('an invalid address in the environment', () => {
    expect(mistakes('zones: ["1"]\nsink: {type: files, path: logs}', { CDN_LOGGING_URL: 'logging.example' })).toContain(
      'CDN_LOGGING_URL must be an http or https URL',
    )
  })
})

test('a message shows the name of a setting unchanged, even with a percent sign or a slash', () => {
  for (const name of ['x%zz', 'x~y/z']) expect(mistakes(`${minimal}"${name}": 1`)).toContain(`${name} is not a setting`)
})

test('any text yields a configuration or sentences', () => {
  const lines = fc.constantFrom(
    ...minimal.split('\n'),
    'window: &a 5m',
    'rechecks: *a',
    '? [a]: b',
    '- 1',
    '"',
    '{',
    'zones: []',
    'sink: null',
    '\t',
    'privacy: 3',
    '__proto__: {}',
    'sink: {type: toString}',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(lines, fc.string()), { maxLength: 8 }), (texts) => {
      const text = mistakes(texts.join('\n'))
      for (const line of text.split('\n')) expect(line).toMatch(/^(no mistake|config\.yaml:\d+: .+\.)$/s)
    }),
    { numRuns: 500 },
  )
})

test('each read of a secret sees the current file, without its line end, or the variable', async () => {
  const file = join(temporaryFolder(onTestFinished), 'key')
  await writeFile(file, 'first\n')
  expect(await readSecret({ file }, {})).toBe('first')
  await writeFile(file, 'second')
  expect(await readSecret({ file }, {})).toBe('second')
  expect(await readSecret({ env: 'KEY' }, { KEY: 'third' })).toBe('third')
  await writeFile(file, '\n')
  await expect(readSecret({ file }, {})).rejects.toThrow(/it is empty/)
})
