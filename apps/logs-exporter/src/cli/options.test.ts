import { expect, test } from 'vitest'
import { ConfigurationError } from '../errors.ts'
import { type CommandOf, parseCommand } from './options.ts'

let printed = ''
const parse = (line: string, env: NodeJS.ProcessEnv = {}) =>
  parseCommand(line.split(' ').filter(Boolean), env, (text) => {
    printed += text
  })

test.each([
  ['run --config a.yaml', { name: 'run', config: 'a.yaml', once: false }],
  ['run --config a --shard 3/4', { name: 'run', config: 'a', shard: { index: 3, of: 4 }, once: false }],
  ['config check --config=a.yaml', { name: 'config check', config: 'a.yaml', offline: false }],
  ['config check --offline --config=a.yaml', { name: 'config check', config: 'a.yaml', offline: true }],
  ['run --once --config a', { name: 'run', config: 'a', once: true }],
  ['status --json --config a', { name: 'status', config: 'a', json: true }],
  ['verify --config a', { name: 'verify', config: 'a', zones: [], range: undefined }],
  [
    'backfill --config a --zone 1 --zone 2 --zone 1 --from 2026-06-17T14:00:00Z --to 2026-06-17T17:00+01:00',
    {
      name: 'backfill',
      config: 'a',
      again: false,
      zones: ['1', '2'],
      range: { from: Date.UTC(2026, 5, 17, 14), to: Date.UTC(2026, 5, 17, 16) },
    },
  ],
])('parses %s', async (line, command) => expect(await parse(line)).toEqual({ shard: undefined, ...command }))

test.each([
  ['--help', 0, 'Usage: cdn-logs-exporter [options] [command]'],
  ['backfill --help', 0, 'Usage: cdn-logs-exporter backfill [options]'],
  ['', 2, 'Usage: cdn-logs-exporter [options] [command]'],
  ['config', 2, 'Usage: cdn-logs-exporter config [options] [command]'],
])('"%s" prints help', async (line, code, start) => {
  printed = ''
  expect(await parse(line)).toBe(code)
  expect(printed).toMatch(start)
})

const expectedShard = 'expected INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4'
const expectedTime = 'expected a time such as 2026-06-17T14:00:00Z, or a day such as 2026-06-17'
test.each([
  ['start --config a', "Unknown command 'start' (Did you mean status?)."],
  ['config --config a', "Unknown option '--config'."],
  ['run', 'run needs --config FILE or the environment variable CDN_LOGS_EXPORTER_CONFIG.'],
  ['run --config', "Option '--config <file>' argument missing."],
  ['run --config --json', "Option '--config <file>' argument '--json' is invalid: a value is missing."],
  ['run --config=', "Option '--config <file>' argument '' is invalid: expected the path of a file."],
  ['run --config a --config b', "Option '--config <file>' argument 'b' is invalid: it is given twice."],
  ['run --config a --json', "Unknown option '--json'."],
  ['run --config a --key k', "Unknown option '--key'."],
  ['run --config a b', "Too many arguments for 'run': expected 0."],
  ['run --config a --shard 4/4', `Option '--shard <i/n>' argument '4/4' is invalid: ${expectedShard}.`],
  ['run --config a --shard 1', `Option '--shard <i/n>' argument '1' is invalid: ${expectedShard}.`],
  ['backfill --config a', 'backfill needs --since DURATION or --from TIME.'],
  ['verify --config a --to 2026-06-17T14:00:00Z', '--to needs --from or --since.'],
  ['backfill --config a --since 2h --from 2026-06-17', '--from and --since exclude each other.'],
  [
    'backfill --config a --since 2',
    "Option '--since <duration>' argument '2' is invalid: expected a duration such as 30m, 2h or 3d.",
  ],
  ['verify --config a --from 2026-06-17T14:00:00Z --to 2026-06-17T14:00:00Z', '--from must be before --to.'],
  ...['2026-06-17T14:00:00', '2026-13-17T14:00:00Z', '2026-02-31T00:00Z'].map((time) => [
    `verify --config a --to 2026-06-18T14:00:00Z --from ${time}`,
    `Option '--from <time>' argument '${time}' is invalid: ${expectedTime}.`,
  ]),
  [
    'verify --config a --zone shop',
    "Option '--zone <id>' argument 'shop' is invalid: expected the id of a pull zone, such as 123.",
  ],
])('%s fails with one sentence', async (line, message) => {
  await expect(parse(line)).rejects.toThrow(new ConfigurationError(message))
})

test('a range is a duration, or starts at a time or a day', async () => {
  const range = async (options: string) => (await parse(`verify --config a ${options}`)) as CommandOf<'verify'>
  expect(await range('--since 1.5h')).toMatchObject({ range: { since: 5_400_000 } })
  expect(await range('--from 2026-06-17')).toMatchObject({ range: { from: Date.UTC(2026, 5, 17) } })
})

test('CDN_LOGS_EXPORTER_CONFIG is the default of --config; example and schema need none', async () => {
  const env = { CDN_LOGS_EXPORTER_CONFIG: 'b.yaml' }
  expect(await parse('status', env)).toMatchObject({ name: 'status', config: 'b.yaml' })
  expect(await parse('status --config a', env)).toMatchObject({ config: 'a' })
  expect(await parse('config example')).toEqual({ name: 'config example' })
  expect(await parse('config schema')).toEqual({ name: 'config schema' })
})
