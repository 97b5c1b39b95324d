import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defineCommand } from '../src/commands/program/declaration.ts'
import { boolean, choice, file, id, integer, text } from '../src/commands/program/value-type.ts'
import { runCli } from './support/cli.ts'
import { parse as parseWith } from './support/parse.ts'

const command = defineCommand({
  name: 'cut',
  summary: 'Cut',
  arguments: { pullZoneId: { value: id, summary: 'Zone' }, rest: { value: text, summary: 'Rest', optional: true } },
  options: {
    limit: { value: integer(1, 100), summary: 'Limit', short: 'n', default: 10 },
    order: { value: choice('asc', 'desc'), summary: 'Order' },
    shield: { value: boolean, summary: 'Shield' },
    'show-all': { summary: 'All', short: 'a' },
    field: { value: text, summary: 'Field', repeat: true },
    from: { value: file, summary: 'File' },
  },
  run: async () => {},
})
const now = new Date('2026-06-17T14:30:00Z')
const parse = async (...words: string[]) => (await parseWith(command, words, now)).input

describe('values', () => {
  test('have the declared types, in any order', async () => {
    const words = ['-n', '3', '9007199254740993', '--field=a=b', 'x', '--field', '', '-a']
    expect(await parse(...words)).toEqual({
      arguments: { pullZoneId: '9007199254740993', rest: 'x' },
      options: { limit: 3, field: ['a=b', ''], 'show-all': true, order: undefined, shield: undefined, from: undefined },
    })
  })

  test('that are omitted have their defaults', async () => {
    const input = await parse('1')
    expect(input?.options).toMatchObject({ limit: 10, field: [], 'show-all': false, shield: undefined })
  })

  test('a boolean option needs no value', async () => {
    expect((await parse('1', '--shield'))?.options['shield']).toBe(true)
    expect((await parse('--shield', 'false', '1'))?.options['shield']).toBe(false)
    expect((await parse('--shield=false', '1'))?.options['shield']).toBe(false)
  })

  test('everything after -- is an argument', async () => {
    expect((await parse('1', '--', '--show-all'))?.arguments['rest']).toBe('--show-all')
  })

  test('any text reaches its option unchanged', async () => {
    const unchanged = fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (value) => {
      expect((await parse('1', `--field=${value}`))?.options['field']).toEqual([value])
    })
    await fc.assert(unchanged, { examples: [['--show-all'], ['a=b'], ['-'], ['\u001b[2J']] })
  })
})

describe('an error contains the option or argument, and the expected value', () => {
  test.each([
    [['x'], "value 'x' is invalid for argument 'pull-zone-id'. Expected the id of a resource, a 64-bit integer."],
    [['9223372036854775808'], "invalid for argument 'pull-zone-id'. Expected the id of a resource"],
    [[], "missing required argument 'pull-zone-id'"],
    [['1', '--limit', '0'], "option '-n, --limit <n>' argument '0' is invalid. Expected an integer from 1 to 100."],
    [['1', '-n'], "option '-n, --limit <n>' argument missing"],
    [['1', '--order', 'dsc'], "option '--order <choice>' argument 'dsc' is invalid. Expected asc or desc."],
    [['1', '--limi', '1'], "unknown option '--limi'\n(Did you mean --limit?)"],
    [['1', '-x'], "unknown option '-x'"],
    [['1', '--shield=maybe'], "argument 'maybe' is invalid. Expected true or false."],
    [['1', '--constructor', 'x'], "unknown option '--constructor'"],
  ])('%j', async (words, message) => {
    await expect(parse(...words)).rejects.toThrow(message)
  })
})

test.each([
  ['auth login SECRET', "Too many arguments for 'login'. Expected 0 arguments but got 1."],
  ['auth login --key=SECRET', "Unknown option '--key'"],
  ["auth login --key=SECRET'", "Unknown option '--key'"],
])('a word that may be a key is not repeated: cdn %s', async (line, message) => {
  expect(await runCli(line.split(' '))).toEqual({ code: 2, out: '', err: `cdn: ${message}\n` })
})

test.each([
  ['lgos', "Unknown command 'lgos'\n(Did you mean logs?)"],
  ['logs quer', "Unknown command 'quer'\n(Did you mean query?)"],
  ['pull-zone add-allowed-referer', "Unknown command 'add-allowed-referer'\n(Did you mean add-allowed-referrer?)"],
  ['help lgos', "Unknown command 'lgos'\n(Did you mean logs?)"],
  ['constructor', "Unknown command 'constructor'. cdn --help lists the commands."],
  ['--verison', "Unknown option '--verison'\n(Did you mean --version?)"],
  ['--profil x logs query 1', "Unknown option '--profil'\n(Did you mean --profile?)"],
  ['-o json version', "Unknown option '-o'"],
])('an unknown command or option gets a suggestion: cdn %s', async (line, message) => {
  expect(await runCli(line.split(' '))).toEqual({ code: 2, out: '', err: `cdn: ${message}\n` })
})

test.each([
  '--dry-run -o json logs query 2002 --limit 1',
  'logs --dry-run query 2002 --limit 1 --output=json',
  '-ojson logs query --dry-run 2002',
  '--output=json logs -q [] query --dry-run 2002 --limit 1',
  'help --profile x logs query',
])('shared options may stand before the name of a command: cdn %s', async (line) => {
  const { code, out } = await runCli(line.split(' '), { env: { CDN_ACCESS_KEY: 'k' } })
  expect(code).toBe(0)
  expect(out).toMatch(/^(curl .*\/v2\/pullzones\/2002\/logs|Print log rows)/)
})

test('a shared option before the name of a command takes effect', async () => {
  const { code, err } = await runCli('--profile nope logs query 2002'.split(' '), { env: { HOME: '/nonexistent' } })
  expect([code, err]).toEqual([2, 'cdn: Unknown profile "nope": run cdn auth login --profile nope.\n'])
})
