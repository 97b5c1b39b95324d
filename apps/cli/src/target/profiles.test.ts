import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { changeProfiles, type Profiles, profileFile, readProfiles } from './profiles.ts'

const createEnv = () => ({ HOME: temporaryFolder(onTestFinished) })

const profiles: Profiles = {
  current: 'b',
  profiles: {
    default: { CDN_ACCESS_KEY: 'CANARY-1' },
    b: { CDN_BEARER_TOKEN: 'CANARY-2', CDN_LOGGING_URL: 'https://l.example' },
  },
}
const write = (env: Record<string, string>, content = profiles) => changeProfiles(env, () => content)

async function read(env: Record<string, string>) {
  const warnings: string[] = []
  const read = await readProfiles(env, (sentence) => warnings.push(sentence))
  return { read, warnings }
}

test('a file that others can read is used with a warning and advice; the next write restricts it', async () => {
  const env = createEnv()
  await write(env)
  await chmod(profileFile(env), 0o640)
  const { read: known, warnings } = await read(env)
  expect(known).toEqual(profiles)
  expect(warnings).toEqual([`Others can read the keys in ${profileFile(env)}. Run: chmod 600 '${profileFile(env)}'`])
  await write(env, known)
  expect((await stat(profileFile(env))).mode & 0o777).toBe(0o600)
})

test('a missing file means an empty set of profiles', async () => {
  expect(await read(createEnv())).toEqual({ read: { current: 'default', profiles: {} }, warnings: [] })
})

test("the user's configuration folder is respected", async () => {
  expect(profileFile({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe(join('/x', 'cdn', 'profiles.json'))
  expect(profileFile({ HOME: '/h' })).toBe(join('/h', '.config', 'cdn', 'profiles.json'))
})

test.each([
  ['{"default": {"CDN_ACCESS_KEY": "CANARY', 'it is not a JSON object'],
  ['["CANARY"]', 'it is not a JSON object'],
  ['{"default": "CANARY"}', '"profiles" is not an object'],
  ['{"current": ["CANARY"], "profiles": {}}', '"current" is not the name of a profile'],
  ['{"profiles": {"default": "CANARY"}}', 'the profile "default" is not an object'],
  ['{"profiles": {"default": {"accessKey": "CANARY"}}}', 'the profile "default" has an unknown key "accessKey"'],
  ['{"profiles": {"default": {"CDN_ACCESS_KEY": ["CANARY"]}}}', 'CDN_ACCESS_KEY of the profile "default" is not text'],
])('the message for a broken file contains the place, but no value of the file: %#', async (text, what) => {
  const env = createEnv()
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
  const env = createEnv()
  await writeFile(join(env.HOME, '.config'), 'a file where a folder should be')
  await expect(write(env)).rejects.toThrow(
    /cannot be written: (a part of the path is not a folder|a file of that name exists)$/,
  )
  expect(await readdir(env.HOME)).toEqual(['.config'])
})

test('parallel changes are all kept', async () => {
  const env = createEnv()
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
  const add = (name: string) =>
    changeProfiles(env, (known) => ({ ...known, profiles: { ...known.profiles, [name]: { CDN_ACCESS_KEY: name } } }))
  await Promise.all(names.map(add))
  expect(Object.keys((await read(env)).read.profiles).sort()).toEqual(names.sort())
  expect(await readdir(dirname(profileFile(env)))).toEqual(['profiles.json'])
})
