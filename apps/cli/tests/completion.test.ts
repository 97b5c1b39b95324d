import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { addNames, cacheKeyOf } from '../src/target/name-cache.ts'
import { changeProfiles } from '../src/target/profiles.ts'
import { runCli } from './support/cli.ts'

const setUp = () => ({ HOME: temporaryFolder(onTestFinished), CDN_ACCESS_KEY: 'k' })

/** Returns the suggestions for the last word of a line, and the ending. */
async function complete(line: string, env: Record<string, string>): Promise<string> {
  const { code, out, err } = await runCli(['complete', '--', ...line.split(' ')], { env })
  expect([code, err]).toEqual([0, ''])
  return out
    .trimEnd()
    .split('\n')
    .map((text) => text.split('\t')[0])
    .join(' ')
}

/** `:end` suggests no files, `:open` neither files nor a space, `:files` files. */
test.each([
  ['pull', 'pull-zone :end'],
  ['pull-zone add', 'add-allowed-referrer :end'],
  ['auth log', 'login logout :end'],
  ['pull-zone add-allowed-referrer 2001 --ho', '--hostname :end'],
  ['logs query 2002 --output nd', 'ndjson :end'],
  ['logs query 2002 --order ', 'desc asc :end'],
  ['logs query 2002 --order=a', 'asc :end'],
  ['completion ', 'bash zsh fish powershell :end'],
  ['pull-zone get --profile ', ':end'],
  ['logs query --profile x 2002 --output nd', 'ndjson :end'],
  ['logs query --cache-status ', 'HIT MISS BYPASS REVALIDATED STALE UPDATING - :open'],
  ['logs query --cache-status HIT,ST', 'HIT,STALE :open'],
  ['api GET /pull', '/pullzone /pullzone/ :open'],
  ['api pullzone/2001/add', 'pullzone/2001/addAllowedReferrer :open'],
  ['logs query 2002 -o ', 'table json ndjson csv :end'],
  ['logs query 2002 --output=t', 'table :end'],
  ['logs download 2002 ', 'today yesterday :end'],
  ['--out', '--output :end'],
  ['--output ', 'table json ndjson csv :end'],
  ['-o csv pull-zone g', 'get :end'],
  ['pull-zone -o csv get --ti', '--timeout :end'],
  ['nope pull', ':end'],
  ['api GET / --input ', ':files'],
  ['logs download 2002 -f x', ':files'],
])('cdn %s', async (line, suggestions) => {
  expect(await complete(line, setUp())).toBe(suggestions)
})

test('zones come from the cache of the account', async () => {
  const env = { ...setUp(), CDN_MANAGEMENT_URL: 'https://m.example' }
  await addNames(env, cacheKeyOf({ env, isExplicit: false }, '/pullzone'), [{ id: 9007199254740993n, name: 'shop' }])
  expect(await complete('logs query ', env)).toBe('shop 9007199254740993 :end')
  expect(await complete('logs query ', { ...env, CDN_MANAGEMENT_URL: 'https://other.example' })).toBe(':end')
})

test('profiles are suggested by name, without their keys', async () => {
  const env = setUp()
  const profiles = { staging: { CDN_ACCESS_KEY: 'CANARY' }, production: { CDN_ACCESS_KEY: 'CANARY' } }
  await changeProfiles(env, () => ({ current: 'default', profiles }))
  expect(await complete('logs stats --profile ', env)).toBe('staging production :end')
  expect(await complete('profiles use st', env)).toBe('staging :end')
  expect(await complete('--profile ', env)).toBe('staging production :end')
  expect(await complete('--profile=st', env)).toBe('staging :end')
})

test('a name that a shell would run is not suggested, and a name with line breaks adds no suggestion', async () => {
  const env = setUp()
  const names = ['a$(touch pwned)', 'a`touch pwned`', 'a;touch pwned', "a'b", 'a b', 'a\n:0\nx', 'all-right']
  const zones = names.map((name, index) => ({ id: BigInt(index + 1), name }))
  await addNames(env, cacheKeyOf({ env, isExplicit: false }, '/pullzone'), zones)
  expect(await complete('logs query ', env)).toBe('1 2 3 4 5 6 all-right 7 :end')
})
