import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { profileFile, readProfiles, writeProfiles } from './profiles.ts'

async function createEnv() {
  const home = await mkdtemp(join(tmpdir(), 'cdn-profiles-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return { HOME: home }
}

const profiles = {
  default: { CDN_ACCESS_KEY: 'CANARY-1', CDN_PARCELS_ACCESS_KEY: 'CANARY-3' },
  b: { CDN_BEARER_TOKEN: 'CANARY-2', CDN_LOGGING_URL: 'https://l.example' },
}

async function read(env: Record<string, string>) {
  const warnings: string[] = []
  const read = await readProfiles(env, (sentence) => warnings.push(sentence))
  return { read, warnings }
}

test('profiles are read back from a file and a folder for the owner alone, for any umask', async () => {
  const env = await createEnv()
  const before = process.umask(0)
  try {
    await writeProfiles(env, profiles)
  } finally {
    process.umask(before)
  }
  const file = profileFile(env)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
  expect(await read(env)).toEqual({ read: profiles, warnings: [] })
  expect(await readdir(dirname(file))).toEqual(['profiles.json'])
})

test('a file that others can read is used with a warning and advice; the next write restricts it', async () => {
  const env = await createEnv()
  await writeProfiles(env, profiles)
  await chmod(profileFile(env), 0o640)
  const { read: known, warnings } = await read(env)
  expect(known).toEqual(profiles)
  expect(warnings).toEqual([`Others can read the keys in ${profileFile(env)}. Run: chmod 600 '${profileFile(env)}'`])
  await writeProfiles(env, known)
  expect((await stat(profileFile(env))).mode & 0o777).toBe(0o600)
})

test('a missing file means an empty set of profiles', async () => {
  expect(await read(await createEnv())).toEqual({ read: {}, warnings: [] })
})

test("the user's configuration folder is respected", async () => {
  expect(profileFile({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe(join('/x', 'cdn', 'profiles.json'))
  expect(profileFile({ HOME: '/h' })).toBe(join('/h', '.config', 'cdn', 'profiles.json'))
})

test.each([
  ['{"default": {"CDN_ACCESS_KEY": "CANARY', 'it is not a JSON object'],
  ['["CANARY"]', 'it is not a JSON object'],
  ['{"default": "CANARY"}', 'the profile "default" is not an object'],
  ['{"default": {"accessKey": "CANARY"}}', 'the profile "default" has an unknown key "accessKey"'],
  ['{"default": {"CDN_ACCESS_KEY": ["CANARY"]}}', 'CDN_ACCESS_KEY of the profile "default" is not text'],
])('the message for a broken file contains the place, but no value of the file: %#', async (text, what) => {
  const env = await createEnv()
  await mkdir(dirname(profileFile(env)), { recursive: true })
  await writeFile(profileFile(env), text, { mode: 0o600 })
  const failure = await read(env).catch((error: Error) => error)
  expect(failure).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(`${profileFile(env)} cannot be used: ${what}.`),
  })
  expect(inspect(failure)).not.toContain('CANARY')
  expect(await readFile(profileFile(env), 'utf8')).toBe(text)
})

test('a failed write leaves no temporary file', async () => {
  const env = await createEnv()
  await writeFile(join(env.HOME, '.config'), 'a file where a folder should be')
  await expect(writeProfiles(env, profiles)).rejects.toThrow(
    /cannot be written: (a part of the path is not a folder|a file of that name exists)$/,
  )
  expect(await readdir(env.HOME)).toEqual(['.config'])
})
