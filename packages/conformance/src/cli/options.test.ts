import { createCommand, runProgram } from '@cdn/kit/command-line'
import { expect, test } from 'vitest'
import { type RunOptions, runCommand, toRunOptions } from './options.ts'

const silent = () => {}
const live = ['--target', 'live', '--management-url', 'http://127.0.0.1:1', '--logging-url', 'http://127.0.0.1:2']

async function parse(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunOptions> {
  const parsed: RunOptions[] = []
  const run = runCommand(silent).action((options) => void parsed.push(toRunOptions(options, env)))
  await runProgram(createCommand('conformance', silent).addCommand(run), ['run', ...args])
  const [options] = parsed
  if (!options) throw new Error('nothing was parsed')
  return options
}

test('a live run takes its URLs and fixtures from options, otherwise from the environment', async () => {
  const env = { CDN_MANAGEMENT_URL: 'https://a.invalid', CDN_LOGGING_URL: 'https://b.invalid', CDN_FIXTURES: 'f.json' }
  expect(await parse(['--target', 'live'], env)).toEqual({
    target: 'live',
    managementUrl: 'https://a.invalid/',
    loggingUrl: 'https://b.invalid/',
    fixtures: 'f.json',
    out: 'reports/live',
  })
  const given = await parse([...live, '--fixtures', 'own.json', '--allow', 'write,burst'], env)
  expect(given).toMatchObject({ managementUrl: 'http://127.0.0.1:1/', fixtures: 'own.json' })
  expect(given.allow).toEqual(['write', 'burst'])
})

test('the reports of a target have a folder of their own', async () => {
  expect((await parse(['--target', 'emulator'])).out).toBe('reports/emulator')
  expect((await parse(['--target=mock', '--out', 'elsewhere'])).out).toBe('elsewhere')
})

test('expectations, sources, budget, seed and time limit are options of every target', async () => {
  const args = ['--expect', 'e.json', '--fail-on', 'unspecified,robustness', '--require', 'spec']
  expect(await parse(['--target', 'emulator', ...args, '--budget', '50', '--seed', '7', '--time-limit', '2'])).toEqual({
    ...{ target: 'emulator', budget: 50, seed: 7, timeLimit: 2, out: 'reports/emulator' },
    ...{ expect: 'e.json', failOn: ['unspecified', 'robustness'], require: ['spec'] },
  })
})

const liveOnly = 'is for --target live only; the target emulator has its own.'

test.each([
  [[], '--target is missing: expected one of mock, emulator, live.'],
  [
    ['--fail-on', 'rain'],
    "Option '--fail-on <sources>' argument 'rain' is invalid: expected one of supplement, robustness, unspecified.",
  ],
  [['--budget', '0'], "Option '--budget <n>' argument '0' is invalid: expected a whole number from 1 to 1000000000."],
  [['--target', 'prod'], "Option '--target <kind>' argument 'prod' is invalid: expected one of mock, emulator, live."],
  [['--target', 'mock', '--tagret', 'x'], "Unknown option '--tagret' (Did you mean --target?)."],
  [['--target', 'mock', '--out'], "Option '--out <folder>' argument missing."],
  [['--target', 'emulator', '--fixtures', 'f.json'], `--fixtures ${liveOnly}`],
  [['--target', 'emulator', '--allow', 'write'], `--allow ${liveOnly}`],
  [['--target', 'emulator', '--logging-url', 'x'], `--logging-url ${liveOnly}`],
  [['--target', 'live'], '--target live needs --management-url or the environment variable CDN_MANAGEMENT_URL.'],
  [
    ['--target', 'live', '--management-url', 'nonsense'],
    '--management-url must be an http or https URL such as https://api.example, not "nonsense".',
  ],
  [
    ['--target', 'live', '--management-url', 'ftp://me:secret@a.invalid'],
    '--management-url must be a plain base URL, without credentials, query or fragment.',
  ],
  [
    ['--target', 'live', '--management-url', 'me:secret@a.invalid'],
    '--management-url must be a plain base URL, without credentials, query or fragment.',
  ],
  [live, '--target live needs --fixtures or the environment variable CDN_FIXTURES.'],
])('%j is refused in one sentence', async (args, sentence) => {
  await expect(parse(args)).rejects.toMatchObject({ message: sentence })
})
