import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argument, describe as describeCommand, option, repeatable } from '../src/program/command.ts'
import { choice, file, id, integer, text } from '../src/program/value-type.ts'
import { runCli } from './support/cli.ts'
import { parse as parseWith } from './support/parse.ts'

const parse = (...words: string[]) =>
  parseWith(
    (group) =>
      describeCommand(group.command('cut').summary('Cut'), { examples: [] })
        .addArgument(argument('<pull-zone-id>', 'Zone', id))
        .addArgument(argument('[rest]', 'Rest', text))
        .addOption(option('-n, --limit <n>', 'Limit', integer(1, 100)).default(10))
        .addOption(option('--order <choice>', 'Order', choice('asc', 'desc')))
        .option('-a, --show-all', 'All')
        .addOption(repeatable('--field <text>', 'Field', text))
        .addOption(option('--from <file>', 'File', file))
        .action(() => {}),
    words,
  )

describe('values', () => {
  test('have the declared types, in any order', async () => {
    const words = ['-n', '3', '9007199254740993', '--field=a=b', 'x', '--field', '', '-a']
    const command = await parse(...words)
    expect(command.processedArgs).toEqual(['9007199254740993', 'x'])
    expect(command.opts()).toEqual({ limit: 3, field: ['a=b', ''], showAll: true })
    expect((await parse('1')).opts()).toEqual({ limit: 10 })
  })

  test('everything after -- is an argument', async () => {
    expect((await parse('1', '--', '--show-all')).processedArgs).toEqual(['1', '--show-all'])
  })

  test('any text reaches its option unchanged', async () => {
    const unchanged = fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (value) => {
      expect((await parse('1', `--field=${value}`)).opts()['field']).toEqual([value])
    })
    await fc.assert(unchanged, { examples: [['--show-all'], ['a=b'], ['-'], ['\u001b[2J']] })
  })
})

test.each([
  [['x'], "Argument <pull-zone-id> 'x' is invalid: expected the id of a resource, a 64-bit integer."],
  [['9223372036854775808'], "Argument <pull-zone-id> '9223372036854775808' is invalid: expected the id of a resource"],
  [['1', '--limit', '0'], "Option '-n, --limit <n>' argument '0' is invalid: expected an integer from 1 to 100."],
  [['1', '--order', 'dsc'], "Option '--order <choice>' argument 'dsc' is invalid: expected asc or desc."],
])('an error contains the option or argument, and the expected value: %j', async (words, message) => {
  await expect(parse(...words)).rejects.toThrow(message)
})

test.each([
  ['lgos', 'Unknown command "lgos": did you mean logs?'],
  ['login', 'Unknown command "login": did you mean auth login?'],
  ['zone list', 'Unknown command "zone": did you mean pull-zone?'],
  ['version', 'Unknown command "version": did you mean --version?'],
  ['list', 'Unknown command "list": did you mean profiles list, video-library list or pull-zone list?'],
  ['logs quer', 'Unknown command "logs quer": did you mean logs query?'],
  ['video-library delete', 'Unknown command "video-library delete": did you mean video-library delete-watermark?'],
  [
    'pull-zone delete',
    'Unknown command "pull-zone delete": expected add-allowed-referrer, remove-allowed-referrer, list or get. For another request: cdn api.',
  ],
  ['auth nope', 'Unknown command "auth nope": expected login, status or logout.'],
  [
    'constructor',
    'Unknown command "constructor": expected logs, api, auth, profiles, try, completion, video-library or pull-zone.',
  ],
  ['help logs quer', 'Unknown command "logs quer": did you mean logs query?'],
  ['lgos --help', 'Unknown command "lgos": did you mean logs?'],
  ['--verison', "Unknown option '--verison' (Did you mean --version?)."],
  ['logs query 1 --profil x', "Unknown option '--profil' (Did you mean --profile?)."],
  ['completion bash -o json', "Unknown option '-o'."],
  ['auth login --dry-run', "Unknown option '--dry-run'."],
  ['--dry-run auth login', "Unknown option '--dry-run'."],
  ['--dry-run -- auth login', "Unknown option '--dry-run'."],
  [
    '-o nope profiles list',
    "Option '-o, --output <format>' argument 'nope' is invalid: expected table, json, ndjson or csv.",
  ],
  ['completion', 'Missing argument <shell>: expected bash, zsh, fish or powershell.'],
  ['logs query', 'Missing argument <zone>: ID or name of the pull zone.'],
])(
  'an unknown word gets a suggestion if one is similar, and a missing argument is described: cdn %s',
  async (line, message) => {
    expect(await runCli(line.split(' '))).toEqual({ code: 2, out: '', err: `cdn: ${message}\n` })
  },
)

test.each([
  'profiles list -o csv --columns name',
  '-o csv profiles --columns=name list',
  '-ocsv profiles list --columns name',
  'profiles --output=csv --columns name list',
])('shared options may be anywhere: cdn %s', async (line) => {
  expect(await runCli(line.split(' '), { env: { HOME: '/nonexistent' } })).toMatchObject({ code: 0, out: 'name\n' })
})

test('a shared option before a group prints the help of the group', async () => {
  const help = await runCli(['profiles'])
  expect(help.code).toBe(2)
  expect(await runCli(['-o', 'csv', 'profiles'])).toEqual(help)
  expect(await runCli(['-o', 'csv', 'profiles', '--help'])).toEqual({ code: 0, out: help.err, err: '' })
})
