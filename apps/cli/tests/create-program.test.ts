import { expect, test } from 'vitest'
import { runCli } from './support/cli.ts'

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
