import { expect, test } from 'vitest'
import type { Profiles } from './profile.ts'
import { decideTarget } from './target.ts'

const profiles: Profiles = {
  default: { accessKey: 'default-key' },
  staging: { bearer: 'staging-token', managementUrl: 'https://m.example/', loggingUrl: 'https://l.example' },
}
const decide = (env: Record<string, string>, profile?: string, known = profiles) =>
  decideTarget({ profile, env, readProfiles: async () => known })

test('the profile default counts where nothing is said', async () => {
  expect(await decide({})).toEqual({ source: 'profile default', profile: 'default', accessKey: 'default-key' })
})

test('a credential of the environment counts with the addresses of the environment, and no profile', async () => {
  expect(await decide({ CDN_ACCESS_KEY: 'k', CDN_LOGGING_URL: 'http://127.0.0.1:1/' })).toEqual({
    source: 'the environment',
    accessKey: 'k',
    logging: new URL('http://127.0.0.1:1/'),
  })
  expect(await decide({ CDN_BEARER_TOKEN: 't' })).toMatchObject({ bearer: 't', source: 'the environment' })
})

test('CDN_PROFILE and --profile name a profile, which brings its own addresses', async () => {
  const staging = {
    source: 'profile staging',
    profile: 'staging',
    bearer: 'staging-token',
    management: new URL('https://m.example/'),
    logging: new URL('https://l.example/'),
  }
  expect(await decide({ CDN_PROFILE: 'staging' })).toEqual(staging)
  expect(await decide({ CDN_PROFILE: 'default' }, 'staging')).toEqual(staging)
  expect(await decide({ CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'http://other' }, 'staging')).toEqual(staging)
})

test('variables that are empty count as absent', async () => {
  const env = { CDN_ACCESS_KEY: '', CDN_PROFILE: '', CDN_LOGGING_URL: '' }
  expect(await decide(env)).toMatchObject({ profile: 'default' })
})

test('without profile and credential there is a target without a credential', async () => {
  expect(await decide({ CDN_MANAGEMENT_URL: 'http://h' }, undefined, {})).toEqual({
    source: 'the environment',
    management: new URL('http://h'),
  })
})

test('the address of the environment may be that of the profile', async () => {
  expect(await decide({ CDN_PROFILE: 'staging', CDN_LOGGING_URL: 'https://l.example/' })).toMatchObject({
    profile: 'staging',
  })
})

test.each([
  [{ CDN_PROFILE: 'staging', CDN_LOGGING_URL: 'https://evil.example' }, undefined, 'whose key is not for it'],
  [{ CDN_LOGGING_URL: 'https://evil.example' }, undefined, 'whose key is not for it'],
  [{ CDN_PROFILE: 'staging', CDN_ACCESS_KEY: 'k' }, undefined, 'both set, and it is not clear which one counts'],
  [{ CDN_PROFILE: 'nope' }, undefined, 'There is no profile "nope". There are: default, staging.'],
  [{}, 'constructor', 'There is no profile "constructor"'],
  [{ CDN_ACCESS_KEY: 'a b' }, undefined, 'CDN_ACCESS_KEY must be visible ASCII'],
  [{ CDN_ACCESS_KEY: 'k', CDN_LOGGING_URL: 'ftp://h' }, undefined, 'CDN_LOGGING_URL must be an http or https address'],
  [{ CDN_ACCESS_KEY: 'k', CDN_LOGGING_URL: 'https://u:CANARY@h' }, undefined, 'CDN_LOGGING_URL must be an http'],
] as [Record<string, string>, string | undefined, string][])('%j, --profile %s: %s', async (env, profile, message) => {
  const failure = await decide(env, profile).catch((error: Error) => error)
  expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  expect(String(failure)).not.toMatch(/CANARY|a b|-key|-token/)
})
