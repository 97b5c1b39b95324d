import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { accountVariables, decideTarget, settingsOf } from './platform.ts'
import { changeProfiles, type Profiles } from './profiles.ts'

type Saved = Profiles['profiles']

const profiles: Saved = {
  default: { CDN_ACCESS_KEY: 'default-key' },
  staging: {
    CDN_BEARER_TOKEN: 'staging-token',
    CDN_MANAGEMENT_URL: 'https://m.example/',
    CDN_LOGGING_URL: 'https://l.example',
  },
  half: { CDN_ACCESS_KEY: 'half-key', CDN_LOGGING_URL: 'https://l.example' },
}

async function decide(env: Record<string, string>, named?: string, saved = profiles) {
  const all = { ...env, HOME: temporaryFolder(onTestFinished) }
  await changeProfiles(all, () => ({ current: 'default', profiles: saved }))
  const target = await decideTarget(all, named)
  const read = (name: 'management' | 'logging') => {
    const { address, get } = settingsOf(target, name)
    return [address?.href, accountVariables.map(get).find(Boolean)]
  }
  return {
    profile: target.profile,
    management: read('management'),
    logging: read('logging'),
  }
}

const publicAccount = (key?: string) => ({ management: [undefined, key], logging: [undefined, key] })
const staging = {
  profile: 'staging',
  management: ['https://m.example/', 'staging-token'],
  logging: ['https://l.example/', 'staging-token'],
}

test('the profile default is used if nothing is chosen', async () => {
  expect(await decide({})).toEqual({
    profile: 'default',
    ...publicAccount('default-key'),
  })
})

test('a credential of the environment is used with the addresses of the environment, and no profile', async () => {
  const urls = { CDN_MANAGEMENT_URL: 'http://127.0.0.1:2/', CDN_LOGGING_URL: 'http://127.0.0.1:1/' }
  expect(await decide({ CDN_ACCESS_KEY: 'k', ...urls })).toMatchObject({
    profile: undefined,
    management: ['http://127.0.0.1:2/', 'k'],
    logging: ['http://127.0.0.1:1/', 'k'],
  })
  expect(await decide({ CDN_BEARER_TOKEN: 't' })).toMatchObject(publicAccount('t'))
})

test('CDN_PROFILE and --profile name a profile, which brings its own addresses', async () => {
  expect(await decide({ CDN_PROFILE: 'staging' })).toEqual(staging)
  expect(await decide({ CDN_PROFILE: 'default' }, 'staging')).toEqual(staging)
  expect(await decide({ CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'http://other' }, 'staging')).toEqual(staging)
})

test('empty variables count as unset', async () => {
  const env = { CDN_ACCESS_KEY: '', CDN_PROFILE: '', CDN_LOGGING_URL: '' }
  expect(await decide(env)).toMatchObject({ profile: 'default' })
})

test('without a profile and a credential there is an address without a credential', async () => {
  expect(await decide({ CDN_MANAGEMENT_URL: 'http://h', CDN_LOGGING_URL: 'http://l' }, undefined, {})).toMatchObject({
    profile: undefined,
    management: ['http://h/', undefined],
  })
})

test('the address of the environment may equal the address of the profile', async () => {
  expect(await decide({ CDN_PROFILE: 'staging', CDN_LOGGING_URL: 'https://l.example/' })).toEqual(staging)
})

test.each<[Record<string, string>, string | undefined, string]>([
  [{ CDN_PROFILE: 'staging', CDN_LOGGING_URL: 'https://evil.example' }, undefined, 'is not sent there'],
  [{ CDN_LOGGING_URL: 'https://evil.example' }, undefined, 'the key of the profile is not sent there'],
  [{ CDN_PROFILE: 'staging', CDN_ACCESS_KEY: 'k' }, undefined, 'both set. Unset one'],
  [{ CDN_PROFILE: 'nope' }, undefined, 'Unknown profile "nope": expected default, staging, half.'],
  [
    { CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'https://m.example' },
    undefined,
    'CDN_LOGGING_URL is not set, but CDN_MANAGEMENT_URL is',
  ],
  [{}, 'half', 'CDN_MANAGEMENT_URL of the profile "half" is not set, but CDN_LOGGING_URL is'],
  [{}, 'constructor', 'Unknown profile "constructor"'],
  [
    { CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'ftp://h' },
    undefined,
    'CDN_MANAGEMENT_URL must be an http or https address',
  ],
  [{ CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'https://u:CANARY@h' }, undefined, 'CDN_MANAGEMENT_URL must be an http'],
])('%j, --profile %s: %s', async (env, profile, message) => {
  const failure = await decide(env, profile).catch((error: Error) => error)
  expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  expect(String(failure)).not.toMatch(/CANARY|-key|-token/)
})
