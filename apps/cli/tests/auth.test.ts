import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, type Setting } from './cli.ts'

async function createHome() {
  const home = await mkdtemp(join(tmpdir(), 'cdn-auth-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const file = join(home, '.config/cdn/profiles.json')
  const run = (line: string, setting: Setting = {}) =>
    runCli(line.split(' '), { ...setting, env: { HOME: home, ...setting.env } })
  return { file, run, kept: async () => JSON.parse(await readFile(file, 'utf8')) as unknown }
}

test('login keeps the key of standard input, status tells of it without showing it, logout forgets it', async () => {
  const { run, file, kept } = await createHome()
  const login = await run('auth login', { input: '  CANARY\n' })
  expect(login).toEqual({ code: 0, out: '', err: `The API key is kept in the profile default, in ${file}.\n` })
  expect(await kept()).toEqual({ default: { accessKey: 'CANARY' } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const urls = '--management-url https://m.example --logging-url https://l.example'
  expect((await run(`auth login --profile b --bearer ${urls}`, { input: 'TOKEN' })).code).toBe(0)
  const { code, out } = await run('auth status', { env: { CDN_PROFILE: 'b' } })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({
    source: 'profile b',
    profile: 'b',
    credential: 'bearer token',
    managementUrl: 'https://m.example/',
    loggingUrl: 'https://l.example/',
    file,
    profiles: ['default', 'b'],
  })

  expect((await run('auth logout')).err).toBe('The profile default is forgotten.\n')
  expect(await kept()).toEqual({
    b: { bearer: 'TOKEN', managementUrl: 'https://m.example', loggingUrl: 'https://l.example' },
  })
  expect(await run('auth status')).toMatchObject({ code: 3 })
})

test('the credential of a profile goes to its own addresses', async () => {
  const { run } = await createHome()
  await run('auth login --management-url https://m.example/base', { input: 'CANARY' })
  const sent: Request[] = []
  const fetch = (async (request: Request) => {
    sent.push(request)
    return Response.json({ Id: 1 })
  }) as unknown as typeof globalThis.fetch
  expect((await run('pull-zone get-pull-zone 1', { fetch })).code).toBe(0)
  expect(sent.map(({ url, headers }) => [url, headers.get('AccessKey')])).toEqual([
    ['https://m.example/base/pullzone/1', 'CANARY'],
  ])
  const elsewhere = await run('pull-zone get-pull-zone 1', {
    fetch,
    env: { CDN_MANAGEMENT_URL: 'https://evil.example' },
  })
  expect([elsewhere.code, sent.length]).toEqual([2, 1])
})

test.each([
  ['auth login', '', 'Standard input holds no API key'],
  ['auth login', 'two words', 'must be visible ASCII characters'],
  ['auth login CANARY', 'x', '1 argument is given, and the command takes no argument'],
  ['auth login --key=CANARY', 'x', 'There is no option --key'],
  ['auth login --profile ../x', 'x', 'The name of a profile must be'],
  ['auth login --profile __proto__', 'x', 'The name of a profile must be'],
  ['auth login --logging-url https://u:CANARY@h', 'x', '--logging-url must be an http or https address'],
  ['auth logout --profile nope', '', 'There is no profile "nope"'],
])('refused: %s', async (line, input, message) => {
  const { run, file } = await createHome()
  const { code, err, out } = await run(line, { input })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(message)
  expect(err).not.toMatch(/CANARY|two words/)
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('a credential of the environment that outweighs the profile is told at login', async () => {
  const { run } = await createHome()
  const { err } = await run('auth login', { input: 'k', env: { CDN_ACCESS_KEY: 'x' } })
  expect(err).toContain('cdn: warning: CDN_ACCESS_KEY is set, and counts unless --profile default is given.\n')
})

test('a broken file is told before anybody types, and is left as it is', async () => {
  const { run, file } = await createHome()
  await run('auth login', { input: 'k' })
  await writeFile(file, '{"default"')
  expect((await run('auth login', { input: 'k' })).err).toContain('it is no JSON object')
  expect(await readFile(file, 'utf8')).toBe('{"default"')
})

test('a file that others can read is warned of by whatever uses it', async () => {
  const { run, file } = await createHome()
  await run('auth login', { input: 'CANARY' })
  await chmod(file, 0o644)
  const { code, err } = await run('auth status')
  expect([code, err]).toEqual([0, `cdn: warning: Others can read the keys in ${file}. Run: chmod 600 '${file}'\n`])
})

test.each([
  ['http://m.example', true],
  ['https://m.example', false],
  ['http://127.0.0.1:4100', false],
  ['http://localhost', false],
])('an address that is not encrypted is warned of: %s', async (address, isWarned) => {
  const { run } = await createHome()
  const { code, err } = await run(`auth login --management-url ${address}`, { input: 'k' })
  expect([code, err.includes('--management-url is not encrypted')]).toEqual([0, isWarned])
})
