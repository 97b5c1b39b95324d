import { expect, test } from 'vitest'
import { SuiteConfigurationError } from '../core/failure.ts'
import { parseRunOptions } from './options.ts'

const live = ['--target', 'live', '--management-url', 'http://127.0.0.1:1', '--logging-url', 'http://127.0.0.1:2']

test('a live run takes its URLs and fixtures from options, otherwise from the environment', () => {
  const env = { CDN_MANAGEMENT_URL: 'https://a.invalid', CDN_LOGGING_URL: 'https://b.invalid', CDN_FIXTURES: 'f.json' }
  expect(parseRunOptions(['--target', 'live'], env).config).toEqual({
    target: 'live',
    allow: [],
    managementUrl: 'https://a.invalid/',
    loggingUrl: 'https://b.invalid/',
    fixtures: 'f.json',
  })
  const given = parseRunOptions([...live, '--fixtures', 'own.json', '--allow', 'write,burst'], env)
  expect(given.config).toMatchObject({ managementUrl: 'http://127.0.0.1:1/', fixtures: 'own.json' })
  expect(given.config.allow).toEqual(['write', 'burst'])
})

test('the reports of a target have a folder of their own', () => {
  expect(parseRunOptions(['--target', 'emulator'], {}).out).toBe('reports/emulator')
  expect(parseRunOptions(['--target=mock', '--out', 'elsewhere'], {}).out).toBe('elsewhere')
})

test('an interface can be selected, several times', () => {
  const interfaces = (...args: string[]) => parseRunOptions(['--target', 'mock', ...args], {}).config.interfaces
  expect(interfaces()).toBe(undefined)
  expect(interfaces('--interface', 'logging', '--interface', 'management')).toEqual(['logging', 'management'])
})

test('lists, baseline and budget are options of every target', () => {
  const args = ['--known-failing', 'k.json', '--baseline', 'b.json', '--fail-on', 'drift', '--budget', '50']
  expect(parseRunOptions(['--target', 'emulator', ...args], {})).toEqual({
    config: { target: 'emulator', allow: [], budget: 50 },
    out: 'reports/emulator',
    knownFailing: 'k.json',
    baseline: 'b.json',
    failOnDrift: true,
  })
})

test.each([
  [[], '--target is missing'],
  [['--target', 'mock', '--fail-on', 'drift'], '--fail-on drift needs --baseline'],
  [['--target', 'mock', '--baseline', 'b', '--fail-on', 'rain'], '--fail-on must be one of drift, not "rain"'],
  [['--target', 'mock', '--budget', '0'], '--budget must be a number of requests, 1 or more, not "0"'],
  [['--target', 'mock', '--budget', '1e3'], '--budget must be a number of requests'],
  [['--target', 'prod'], '--target must be one of mock, emulator, live, not "prod"'],
  [['--target', 'mock', '--tagret', 'x'], 'Unknown option --tagret'],
  [['--target', 'mock', 'emulator'], 'Unexpected "emulator"'],
  [['--target', 'mock', '--target', 'live'], '--target is given twice'],
  [['--target', 'mock', '--out'], '--out needs a value'],
  [['--target', 'emulator', '--fixtures', 'f.json'], '--fixtures is for --target live'],
  [['--target', 'emulator', '--allow', 'write'], '--allow is for --target live'],
  [['--target', 'emulator', '--source', 'fact'], '--source must be one of spec, supplement'],
  [['--target', 'emulator', '--source', 'supplement', '--basis', 'spec'], 'selects nothing'],
  [['--target', 'mock', '--source', 'spec'], '--source is for the targets emulator and live'],
  [['--target', 'mock', '--adopt', 'b.json'], '--adopt is for the targets emulator and live'],
  [['--target', 'mock', '--interface', 'logs'], '--interface must be one of management, logging'],
  [['--target', 'live'], '--target live needs --management-url or the environment variable CDN_MANAGEMENT_URL'],
  [['--target', 'live', '--management-url', 'nonsense'], '--management-url must be an http or https URL'],
  [['--target', 'live', '--management-url', 'ftp://a.invalid'], '--management-url must be an http or https URL'],
  [['--target', 'live', '--management-url', 'https://me:secret@a.invalid'], 'without credentials'],
  [live, '--target live needs --fixtures'],
  [[...live, '--fixtures', 'f.json', '--allow', 'everything'], '--allow must be one of write, destructive, burst'],
])('%j is refused in one sentence', (args, sentence) => {
  const refused = () => parseRunOptions(args, {})
  expect(refused).toThrow(SuiteConfigurationError)
  expect(refused).toThrow(sentence)
  expect(refused).not.toThrow('secret')
})
