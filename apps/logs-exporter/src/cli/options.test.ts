import { expect, test } from 'vitest'
import { ExporterConfigurationError } from '../errors.ts'
import { parseCommand } from './options.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean))

test.each([
  ['run --config a.yaml', { name: 'run', config: 'a.yaml', listen: undefined }],
  [
    'run --config a --shard 3/4 --listen :9470',
    { name: 'run', config: 'a', listen: { host: '::', port: 9470 }, shard: { index: 3, of: 4 } },
  ],
  ['--config=a.yaml config check', { name: 'config check', config: 'a.yaml' }],
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
  ['--help', { name: 'help' }],
  ['run --help', { name: 'help' }],
])('%s', (line, command) =>
  expect(parse(line)).toEqual(command.name === 'help' ? command : { shard: undefined, ...command }),
)

test.each([
  ['', 'Missing command: expected run, backfill, verify, status or config check.'],
  ['start --config a', 'Unknown command "start": expected run, backfill, verify, status or config check.'],
  ['config --config a', 'Unknown command "config": expected run, backfill, verify, status or config check.'],
  ['run', 'run needs --config FILE.'],
  ['run --config', '--config needs a value.'],
  ['run --config=', '--config needs a value.'],
  ['run --config a --config b', '--config is given twice.'],
  ['run --config a --json', 'run does not support --json; it supports --config, --shard, --listen.'],
  ['run --config a --key k', 'Unknown option --key; see --help.'],
  ['status --config a --json=1', '--json takes no value.'],
  ['run --config a --listen 80', '--listen must be an address such as 127.0.0.1:9464, not "80".'],
  ['run --config a --shard 4/4', '--shard must be INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4, not "4/4".'],
  ['run --config a --shard 1', '--shard must be INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4, not "1".'],
  ['backfill --config a', 'backfill needs --from TIME and --to TIME.'],
  ['verify --config a --from 2026-06-17T14:00:00Z', '--from and --to must be given together.'],
  ['verify --config a --from 2026-06-17T14:00:00Z --to 2026-06-17T14:00:00Z', '--from must be before --to.'],
  [
    'verify --config a --from 2026-06-17T14:00:00 --to 2026-06-18T14:00:00Z',
    '--from must be a time such as 2026-06-17T14:00:00Z, not "2026-06-17T14:00:00".',
  ],
  [
    'verify --config a --from 2026-13-17T14:00:00Z --to 2026-06-18T14:00:00Z',
    '--from must be a time such as 2026-06-17T14:00:00Z, not "2026-13-17T14:00:00Z".',
  ],
  [
    'backfill --config a --from 2026-02-28T00:00Z --to 2026-02-31T00:00Z',
    '--to must be a time such as 2026-06-17T14:00:00Z, not "2026-02-31T00:00Z".',
  ],
  ['verify --config a --zone shop', '--zone must be the id of a pull zone, such as 123, not "shop".'],
])('%s fails with one sentence', (line, message) => {
  expect(() => parse(line)).toThrow(new ExporterConfigurationError(message))
})

test('CDN_SHARD is the default of --shard', () => {
  const parsed = (args: string[], shard: string) =>
    parseCommand(['run', '--config', 'a', ...args], { CDN_SHARD: shard })
  expect(parsed([], '1/2')).toMatchObject({ shard: { index: 1, of: 2 } })
  expect(parsed(['--shard', '0/3'], '1/2')).toMatchObject({ shard: { index: 0, of: 3 } })
  expect(() => parsed([], 'x')).toThrow(
    new ExporterConfigurationError(
      'The environment variable CDN_SHARD must be INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4, not "x".',
    ),
  )
})
