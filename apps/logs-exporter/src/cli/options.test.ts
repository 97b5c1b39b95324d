import { expect, test } from 'vitest'
import { ConfigurationError } from '../config/configuration-error.ts'
import { parseCommand } from './options.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean))

test.each([
  ['run --config a.yaml', { name: 'run', config: 'a.yaml' }],
  ['--config=a.yaml config check', { name: 'config check', config: 'a.yaml' }],
  ['status --json --config a', { name: 'status', config: 'a', json: true }],
  ['verify --config a', { name: 'verify', config: 'a', zones: [], range: undefined }],
  [
    'backfill --config a --zone 1 --zone 2 --zone 1 --from 2026-06-17T14:00:00Z --to 2026-06-17T17:00+01:00',
    {
      name: 'backfill',
      config: 'a',
      zones: ['1', '2'],
      range: { from: Date.UTC(2026, 5, 17, 14), to: Date.UTC(2026, 5, 17, 16) },
    },
  ],
  ['--help', { name: 'help' }],
  ['run --help', { name: 'help' }],
])('%s', (line, command) => expect(parse(line)).toEqual(command))

test.each([
  ['', 'A command is missing; there are run, backfill, verify, status, config check.'],
  ['start --config a', 'There is no command "start"; there are run, backfill, verify, status, config check.'],
  ['config --config a', 'There is no command "config"; there are run, backfill, verify, status, config check.'],
  ['run', 'run needs --config FILE.'],
  ['run --config', '--config needs a value.'],
  ['run --config=', '--config needs a value.'],
  ['run --config a --config b', '--config is given twice.'],
  ['run --config a --json', '--json is no option of run; those are --config.'],
  ['run --config a --key k', 'There is no option --key; see --help.'],
  ['status --config a --json=1', '--json takes no value.'],
  ['backfill --config a', 'backfill needs --from TIME and --to TIME.'],
  ['verify --config a --from 2026-06-17T14:00:00Z', '--from and --to belong together.'],
  ['verify --config a --from 2026-06-17T14:00:00Z --to 2026-06-17T14:00:00Z', '--from must be before --to.'],
  [
    'verify --config a --from 2026-06-17T14:00:00 --to 2026-06-18T14:00:00Z',
    '--from must be a time such as 2026-06-17T14:00:00Z, not "2026-06-17T14:00:00".',
  ],
  [
    'verify --config a --from 2026-13-17T14:00:00Z --to 2026-06-18T14:00:00Z',
    '--from must be a time such as 2026-06-17T14:00:00Z, not "2026-13-17T14:00:00Z".',
  ],
])('%s is refused in one sentence', (line, message) => {
  expect(() => parse(line)).toThrow(new ConfigurationError(message))
})
