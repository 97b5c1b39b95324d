import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { attacksOf, describeAttacks, leakedSecrets } from '@cdn/kit/testing/attack'
import { control, hostileTexts } from '@cdn/kit/testing/hostile-texts'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished } from 'vitest'
import { outputFormats } from '../src/output/create-output.ts'
import { fetchFrom, runCli, type Setting } from './support/cli.ts'
import { createPlatform, type Platform } from './support/platform.ts'

const env = {
  CDN_MANAGEMENT_URL: 'https://management.invalid/',
  CDN_LOGGING_URL: 'https://logging.invalid/',
  CDN_ACCESS_KEY: 'CANARY-KEY',
}

async function run(words: readonly string[], answer: () => Response, setting: Setting = {}) {
  const requests: Request[] = []
  const fetch = fetchFrom((request) => {
    requests.push(request)
    return answer()
  })
  const ran = await runCli(words, { fetch, ...setting, env: { ...env, ...setting.env } })
  expect(ran.out + ran.err).not.toMatch(/Internal error|\n {4}at /)
  return { ...ran, requests }
}

const paths = [
  '//evil.example/x',
  'https://evil.example/',
  '/\\evil.example/x',
  '\\\\evil.example\\x',
  '@evil.example/x',
  '/../../etc/passwd',
  '/pullzone/..',
  '/pullzone/%2E%2e',
  '/pullzone/%2e%2e%2fx',
  '/pullzone/..%5cx',
  '/pullzone/1#x',
  '/pullzone/1\r\nHost: evil.example',
  '/pullzone/1\u0000',
  '/pullzone/1\t/../2',
  '/;@evil.example/',
]

async function requestPath(path: string): Promise<void> {
  for (const force of [[], ['--force', '--interface', 'management']]) {
    const { requests } = await run(['api', 'GET', path, ...force], () => Response.json({}))
    for (const { url } of requests) {
      expect(new URL(url).origin).toBe('https://management.invalid')
      // No segment disappears: `..` would select another resource.
      expect(new URL(url).pathname.split('/').length).toBeGreaterThanOrEqual(
        path.split(/[?#]/)[0]?.split('/').length ?? 0,
      )
    }
  }
}

const keyArguments = [
  'api GET /pullzone/1 --header AccessKey:CANARY',
  'api GET /pullzone/1 -H authorization:CANARY',
  'api GET /pullzone/1 --header cookie:CANARY',
  'api GET /pullzone/1 --header proxy-authorization:CANARY',
  'api GET /pullzone/1 --access-key=CANARY',
  'api GET /pullzone/1 --key=CANARY',
  'logs query 2002 --bearer=CANARY',
  'logs query 2002 --token=CANARY',
]

/** Prints a text of the platform in a list in each format, and on a terminal as a value and in errors. */
async function show(text: string): Promise<void> {
  const value = () => Response.json({ Id: 1, Name: text, AllowedReferrers: [text], [text]: text })
  const list = () =>
    Response.json([
      { Id: 1, Name: text, [text]: 1 },
      { Id: 2, Name: text, [text]: 2 },
    ])
  const error = () => Response.json({ ErrorKey: text, Field: text, Message: text }, { status: 400 })
  const page = () => new Response(text, { status: 502, headers: { 'content-type': 'text/html' } })
  const terminal = { columns: 60 }
  const outputs = await Promise.all([
    ...outputFormats.map((format) => run(['api', 'GET', '/pullzone', '-o', format], list)),
    ...[value, error, page].map((answer) => run(['api', 'GET', '/pullzone/1'], answer, terminal)),
  ])
  for (const { out, err } of outputs) for (const line of `${out}${err}`.split('\n')) expect(line).not.toMatch(control)
  const csv = await run(['api', 'GET', '/pullzone', '-o', 'csv'], list)
  const cells = csv.out.match(/"(?:[^"]|"")*"|[^",\n]+/g) ?? []
  expect(cells.length).toBeGreaterThan(3)
  for (const cell of cells) expect(cell.replace(/^"/, '')).not.toMatch(/^\s*[=+@＝＋－＠]/)
}

const loggedZone = '10001'
let platform: Platform

/** Creates a platform whose log rows have hostile texts in all fields that hold text. */
async function openLogs(): Promise<() => unknown> {
  platform = await createPlatform({ traffic: { zones: 1, rowsPerSecond: 0.001, hostileShare: 0 } })
  const { clock, state } = platform.emulator
  Object.assign(assertDefined(state.zones.get(loggedZone)), { extendedLogging: true, addresses: 'whole' })
  const model = assertDefined(state.logs.rows(loggedZone)[0])
  const texts = [...Object.values(hostileTexts), `/${'x'.repeat(8184)}`, '漢字 👩‍👩‍👧 e\u0301']
  const rows = texts.flatMap((text, index) => {
    const timestamp = clock.now().getTime() - 60_000 + index * 1000
    const common = { ...model, timestamp, originShield: false, authorizationHeader: `Bearer CANARY ${text}` }
    return [
      { ...common, path: `/${text}`, userAgent: text, referer: text, contentRange: text },
      { ...common, host: text, countryCode: text, edgeLocation: text, cacheStatus: text, requestId: text },
    ]
  })
  state.logs.append(rows)
  return () => platform.emulator.close()
}

const logCommands = {
  query: ['query', loggedZone, '--since', '10m', '--all', '--order', 'asc'],
  tail: ['tail', loggedZone, '--since', '10m', '--for', '1s'],
  stats: ['stats', loggedZone, '--since', '10m', '--top', '100'],
}
const shownLogs = Object.entries(logCommands).flatMap(([name, words]) =>
  outputFormats.map((format) => ({ name: `${name}, ${format}`, words: ['logs', ...words, '-o', format] })),
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of the program itself: colours, and the status line
const ownSequences = /\x1b\[\d+(;\d+)*m|\r\x1b\[2K/g

/** Replaces a word of a response with invalid UTF-8, as a broken proxy or store might do. */
const breakText: typeof fetch = async (...request) => {
  const response = await platform.emulator.fetch(...request)
  const bytes = Buffer.from(await response.arrayBuffer())
  for (let at = bytes.indexOf('owned'); at !== -1; at = bytes.indexOf('owned'))
    bytes.set([0xff, 0xc0, 0xaf, 0xed, 0xa0], at)
  return new Response(bytes, response)
}

/** Shows log rows in a pipe and on terminals of several widths. */
async function showLogs({ words }: (typeof shownLogs)[number]): Promise<void> {
  for (const columns of [undefined, 40, 120, 20_000])
    for (const fetch of [platform.emulator.fetch, breakText]) {
      platform.emulator.clock.advance(2000) // so that the rate limit allows the run
      const { code, out, err } = await platform.run(words, { fetch, ...(columns !== undefined && { columns }) })
      const text = `${out}${err}`.replaceAll(ownSequences, '')
      expect(code, err).toBe(0)
      for (const line of text.split('\n')) expect(line).not.toMatch(control)
      expect(leakedSecrets(text, ['CANARY'])).toEqual([])
      expect(out.length).toBeGreaterThan(300)
    }
}

async function link(name: string, ...words: string[]): Promise<void> {
  const folder = temporaryFolder(onTestFinished)
  const victim = join(folder, 'victim')
  await writeFile(victim, 'untouched')
  await symlink(victim, join(folder, name))
  const { run } = await createPlatform()
  await run(['logs', 'download', '2002', '--file', join(folder, 'day'), ...words])
  expect((await readFile(victim, 'utf8')).slice(0, 20)).toBe('untouched')
}

const links: Readonly<Record<string, () => Promise<void>>> = {
  'in place of the partial file': () => link('day.part'),
  'in place of the partial file with credentials': () => link('day.with-authorization.part', '--show-secrets'),
  'in place of the file': () => link('day'),
  'in place of the file, with --overwrite': () => link('day', '--overwrite'),
}

/** Ids that a platform may send for a zone with the name `shop`. */
const zoneIds = ['../../../tmp/trav', '1/../../2', '2002 ', '-1e3', '1\u0000', 'NaN', '__proto__']

async function namedZone(id: string): Promise<void> {
  const home = temporaryFolder(onTestFinished)
  const zones = () => Response.json({ Items: [{ Id: id, Name: 'shop' }], HasMoreItems: false })
  const setting = { env: { HOME: home } }
  const { requests } = await run(['logs', 'download', 'shop', '--file', join(home, 'day')], zones, setting)
  for (const { url } of requests) expect(new URL(url).pathname).toMatch(/^\/pullzone$|^\/\d\d-\d\d-\d\d\/-?\d+\.log$/)
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  for (const { name } of files) expect(name).toMatch(/^day(\.part)?$|^\.|^cdn$|^names/)
}

const profileNames = ['__proto__', 'constructor', 'toString', '../default', 'a\u001b[2J', '']

async function nameProfile(name: string): Promise<void> {
  const home = temporaryFolder(onTestFinished)
  const setting = { env: { HOME: home, CDN_ACCESS_KEY: '', CDN_MANAGEMENT_URL: '', CDN_LOGGING_URL: '' } }
  const none = () => Response.json([])
  const login = await run(['auth', 'login', '--profile', name], none, { ...setting, input: 'CANARY' })
  const status = await run(['auth', 'status', '--profile', name], none, setting)
  const text = login.out + login.err + status.out + status.err
  expect(leakedSecrets(text, ['CANARY'])).toEqual([])
  for (const line of text.split('\n')) expect(line).not.toMatch(control)
  expect(Object.hasOwn(Object.prototype, 'CDN_ACCESS_KEY')).toBe(false)
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  for (const { parentPath } of files.filter((one) => one.isFile())) expect(parentPath).toBe(join(home, '.config/cdn'))
}

/** Ids and numbers of a platform that no program expects. */
const oddZones = [
  '[{"Id":1e300,"Name":"shop"}]',
  '[{"Id":9223372036854775808,"Name":"shop"}]',
  '[{"Id":null,"Name":null}]',
  '[{"Id":{},"Name":[]}]',
  '[null]',
  '{"Items":null}',
  '{"Items":[{"Id":1,"Name":"shop"}],"HasMoreItems":"yes","TotalItems":"x"}',
  '"shop"',
]

describeAttacks([
  {
    name: 'cdn: paths',
    holds: 'refused, or one path of the configured address',
    attacks: attacksOf(paths, requestPath),
  },
  {
    name: 'cdn: credentials as arguments',
    holds: 'refused before a request, and not repeated',
    attacks: attacksOf(keyArguments, async (line) => {
      const { code, out, err, requests } = await run(line.split(' '), () => Response.json({}))
      expect([code, requests]).toEqual([2, []])
      expect(leakedSecrets(out + err, ['CANARY'])).toEqual([])
    }),
  },
  {
    name: 'cdn: texts of the platform',
    holds: 'no format controls a terminal or runs in a spreadsheet',
    attacks: attacksOf(hostileTexts, show),
  },
  {
    name: 'cdn: texts in logs',
    holds: 'no command of logs controls a terminal or shows the credential of a visitor',
    open: openLogs,
    attacks: shownLogs.map((row) => ({ name: row.name, run: () => showLogs(row) })),
  },
  {
    name: 'cdn: symbolic links',
    holds: 'no file outside of the download changes',
    attacks: attacksOf(links, (prepare) => prepare()),
  },
  { name: 'cdn: ids of zones', holds: 'no request or file with another name', attacks: attacksOf(zoneIds, namedZone) },
  {
    name: 'cdn: names of profiles',
    holds: 'no file, prototype or terminal is touched, and the key stays hidden',
    attacks: attacksOf(profileNames, nameProfile),
  },
  {
    name: 'cdn: lists of the platform',
    holds: 'one sentence, without an internal error',
    attacks: attacksOf(oddZones, async (list) => {
      const home = temporaryFolder(onTestFinished)
      const words = ['logs', 'query', 'shop', '--since', '1h']
      const { code, err } = await run(words, () => new Response(list), { env: { HOME: home } })
      expect(code).toBeGreaterThan(0)
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    }),
  },
])
