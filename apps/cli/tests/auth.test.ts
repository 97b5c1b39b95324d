import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { contracts } from '@cdn/api/contract'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { fetchFrom, runCli, type Setting } from './support/cli.ts'

function createHome() {
  const home = temporaryFolder(onTestFinished)
  const file = join(home, '.config/cdn/profiles.json')
  // Most tests are about the file, so their logins send no request.
  const run = (line: string, setting: Setting = {}) =>
    runCli([...line.split(' '), ...(line.startsWith('auth login') && !setting.fetch ? ['--no-check'] : [])], {
      ...setting,
      env: { HOME: home, ...setting.env },
    })
  return { file, run, kept: async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8')) }
}

test('login saves the key from standard input, status describes it without showing it, logout removes it', async () => {
  const { run, file, kept } = createHome()
  const login = await run('auth login', { input: '  CANARY\n' })
  const [management, logging] = [contracts.management.publicUrl, contracts.logging.publicUrl]
  const text = `The API key for ${management} and ${logging} is saved in the profile default, in ${file}.\n`
  expect(login).toEqual({ code: 0, out: '', err: text })
  expect(await kept()).toEqual({ current: 'default', profiles: { default: { CDN_ACCESS_KEY: 'CANARY' } } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const urls = '--management-url https://m.example --logging-url https://l.example'
  expect((await run(`auth login --profile b --bearer ${urls}`, { input: 'TOKEN' })).code).toBe(0)
  const { code, out } = await run('auth status', { env: { CDN_PROFILE: 'b' } })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    source: 'profile b',
    profile: 'b',
    kind: 'bearer token',
    managementUrl: 'https://m.example/',
    loggingUrl: 'https://l.example/',
    file,
    profiles: ['default', 'b'],
  })

  expect((await run('auth logout')).err).toBe('The profile default is removed.\n')
  expect(await kept()).toMatchObject({
    profiles: {
      b: {
        CDN_BEARER_TOKEN: 'TOKEN',
        CDN_MANAGEMENT_URL: 'https://m.example',
        CDN_LOGGING_URL: 'https://l.example',
      },
    },
  })
  expect(await run('auth status')).toMatchObject({ code: 3 })
})

test('profiles are listed without their credentials, and one of them is the current one', async () => {
  const { run } = createHome()
  await run('auth login', { input: 'CANARY' })
  await run('auth login --profile b --bearer --management-url https://b.example --logging-url https://l.example', {
    input: 'CANARY2',
  })
  expect((await run('profiles use nope')).err).toBe('cdn: Unknown profile "nope": expected default, b.\n')
  expect(await run('profiles use b')).toEqual({ code: 0, out: '', err: 'The current profile is b.\n' })
  const { out } = await run('profiles list -o json')
  expect(JSON.parse(out)).toEqual([
    { name: 'default', current: false, kind: 'API key' },
    {
      name: 'b',
      current: true,
      kind: 'bearer token',
      managementUrl: 'https://b.example',
      loggingUrl: 'https://l.example',
    },
  ])
  expect(out).not.toContain('CANARY')
  // The CSV has the address, although the first profile has none.
  const csv = (await run('profiles list -o csv')).out.split('\n').map((line) => line.split(','))
  expect(csv[0]?.slice(0, 4)).toEqual(['name', 'current', 'kind', 'managementUrl'])
  expect(csv[2]?.slice(0, 4)).toEqual(['b', 'true', '"bearer token"', 'https://b.example'])
  const terminal = await run('profiles list', { columns: 80 })
  expect(terminal.out).toMatch(
    /^name +current +kind +managementUrl +loggingUrl\ndefault +false +API key\nb +true +bearer/,
  )
  const source = async (setting?: Setting) => JSON.parse((await run('auth status', setting)).out).source
  expect(await source()).toBe('profile b')
  expect(await source({ env: { CDN_PROFILE: 'default' } })).toBe('profile default')
  expect(await source({ env: { CDN_ACCESS_KEY: 'k' } })).toBe('the environment')
  await run('auth logout')
  expect(await source()).toBe('profile default')
})

test.each([
  ['auth login', '', 'Missing API key on standard input'],
  ['auth login', 'two words', 'must be visible ASCII characters'],
  ['auth login CANARY', 'x', "Too many arguments for 'login': expected 0."],
  ['auth login --key=CANARY', 'x', "Unknown option '--key'"],
  ['auth login --profile ../x', 'x', 'The name of a profile must be'],
  ['auth login --profile __proto__', 'x', 'The name of a profile must be'],
  [
    'auth login --management-url https://m --logging-url https://u:CANARY@h',
    'x',
    '--logging-url must be an http or https address',
  ],
  [
    'auth login --management-url https://m.example',
    'CANARY',
    `Missing --logging-url: the API key would also be saved for the public platform. To confirm this: --logging-url ${contracts.logging.publicUrl}`,
  ],
  ['auth login --logging-url https://l.example', 'CANARY', 'Missing --management-url: the API key would also be'],
  ['auth logout --profile nope', '', 'Unknown profile "nope"'],
])('refused: %s', async (line, input, message) => {
  const { run, file } = createHome()
  const { code, err, out } = await run(line, { input })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(message)
  expect(err).not.toMatch(/CANARY|two words/)
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('a broken file is reported before the prompt, and stays unchanged', async () => {
  const { run, file } = createHome()
  await run('auth login', { input: 'k' })
  await writeFile(file, '{"default"')
  expect((await run('auth login', { input: 'k' })).err).toContain('it is not a JSON object')
  expect(await readFile(file, 'utf8')).toBe('{"default"')
})

test.each([
  ['http://m.example', true],
  ['https://m.example', false],
  ['http://127.0.0.1:4100', false],
  ['http://localhost', false],
])('a warning for an unencrypted address: %s', async (address, isWarned) => {
  const { run } = createHome()
  const { code, err } = await run(`auth login --management-url ${address} --logging-url https://l.example`, {
    input: 'k',
  })
  expect([code, err.includes('--management-url is not encrypted')]).toEqual([0, isWarned])
})

test('the list of profiles does not print a password in an address', async () => {
  const { run, file } = createHome()
  await run('auth login', { input: 'KEY' })
  await writeFile(
    file,
    JSON.stringify({ profiles: { default: { CDN_MANAGEMENT_URL: 'https://user:CANARY@m.example' } } }),
  )
  const { code, out, err } = await run('profiles list')
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^cdn: CDN_MANAGEMENT_URL of the profile "default" must be an http or https address without user/)
  expect(err).not.toContain('CANARY')
})

test.each(['auth login', 'api POST /pullzone/1/addAllowedReferrer --input -'])(
  'an interrupt ends the wait for standard input: %s',
  async (line) => {
    const { run } = createHome()
    const setting: Setting = { stdin: new PassThrough(), onInterrupt: (listener) => void setImmediate(listener) }
    expect(await run(line, setting)).toEqual({ code: 130, out: '', err: '' })
  },
)

test('the first profile becomes the current one, and no other profile does', async () => {
  const { run } = createHome()
  expect((await run('auth login --profile staging', { input: 'k' })).err).toMatch(/It is the current profile\.\n$/)
  expect((await run('auth login --profile b', { input: 'k' })).err).toMatch(
    /To use it: --profile b, or cdn profiles use b\.\n$/,
  )
  expect(JSON.parse((await run('auth status')).out).source).toBe('profile staging')
})

test('login checks a key with one request, which goes to the address of the profile', async () => {
  const { run, kept } = createHome()
  const sent: [url: string, key: string | null][] = []
  const answering = (status: number) =>
    fetchFrom(({ url, headers }) => {
      sent.push([url, headers.get('AccessKey')])
      return new Response('[]', { status, headers: { 'Content-Type': 'application/json' } })
    })
  const line = 'auth login --management-url https://m.example/base --logging-url https://l.example'
  // The environment has a different key, which takes precedence in later commands.
  const setting = { input: 'CANARY', env: { CDN_ACCESS_KEY: 'other' } }
  const refused = await run(line, { ...setting, fetch: answering(401) })
  expect([refused.code, refused.out]).toEqual([3, ''])
  expect(refused.err).toMatch(/^Nothing was saved\. .*--no-check\.\ncdn: .*answered 401/)
  expect(refused.err).not.toContain('CANARY')
  await expect(kept()).rejects.toThrow('ENOENT')
  const saved = await run(line, { ...setting, fetch: answering(200) })
  expect([saved.code, saved.err]).toEqual([0, expect.stringMatching(/^cdn: warning: CDN_ACCESS_KEY is set and takes/m)])
  expect(sent).toEqual(Array.from({ length: 2 }, () => ['https://m.example/base/pullzone', 'CANARY']))
  expect(await kept()).toMatchObject({ profiles: { default: { CDN_ACCESS_KEY: 'CANARY' } } })
})

test.each([
  [
    'CDN_MANAGEMENT_URL',
    '',
    `but the API key would be saved for ${contracts.management.publicUrl}. Give --management-url "$CDN_MANAGEMENT_URL", or unset CDN_MANAGEMENT_URL.`,
  ],
  [
    'CDN_LOGGING_URL',
    ' --logging-url https://l.example --management-url https://m.example',
    'but the API key would be saved for https://l.example.',
  ],
])('login is refused if %s differs from the address of the profile', async (variable, options, message) => {
  const { run, file } = createHome()
  const { code, err } = await run(`auth login${options}`, { input: 'k', env: { [variable]: 'https://other.example' } })
  expect([code, err]).toEqual([2, expect.stringContaining(`${variable} is https://other.example/, ${message}`)])
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('status --check asks the platform whether it accepts the credential', async () => {
  const { run } = createHome()
  await run('auth login --management-url https://m.example --logging-url https://l.example', { input: 'CANARY' })
  const answering = (status: number) => fetchFrom(() => new Response('[]', { status }))
  const accepted = await run('auth status --check', { fetch: answering(200) })
  expect([accepted.code, JSON.parse(accepted.out).accepted]).toEqual([0, true])
  for (const status of [401, 403]) {
    const refused = await run('auth status --check', { fetch: answering(status) })
    expect([refused.code, JSON.parse(refused.out).accepted]).toEqual([3, false])
  }
  expect(await run('auth status --check', { fetch: answering(500) })).toMatchObject({ code: 5, out: '' })
})
