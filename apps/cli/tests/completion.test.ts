import { expect, test } from 'vitest'
import { changeProfiles } from '../src/target/profiles.ts'
import { accountOf, addZones } from '../src/target/zones.ts'
import { createHome, runShell } from './support/program.ts'

async function complete(...words: string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(' ')
  const { code, out, err } = await runShell(`cdn complete -- ${line}`, await createHome())
  expect([code, err]).toEqual([0, ''])
  return out.split('\n').flatMap((text) => text.split('\t')[0] || [])
}

const noFiles = ':4'
const noSpace = ':6'

test.each([
  [['pull'], ['pull-zone', noFiles]],
  [
    ['pull-zone', 'add'],
    ['add-allowed-referrer', noFiles],
  ],
  [
    ['auth', 'log'],
    ['login', 'logout', noFiles],
  ],
  [
    ['pull-zone', 'add-allowed-referrer', '2001', '--ho'],
    ['--hostname', noFiles],
  ],
  [
    ['logs', 'query', '2002', '--output', 'nd'],
    ['ndjson', noFiles],
  ],
  [
    ['logs', 'query', '2002', '--order', ''],
    ['desc', 'asc', noFiles],
  ],
  [
    ['logs', 'query', '2002', '--order=a'],
    ['asc', noFiles],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'powershell', noFiles],
  ],
  [['pull-zone', 'get', '--profile', ''], [noFiles]],
  [
    ['--output', 'nd'],
    ['ndjson', noFiles],
  ],
  [
    ['--profile', 'x', 'pull'],
    ['pull-zone', noFiles],
  ],
  [
    ['logs', 'query', '--cache-status', ''],
    ['HIT', 'MISS', 'BYPASS', 'REVALIDATED', 'STALE', 'UPDATING', '-', noSpace],
  ],
  [
    ['logs', 'query', '--cache-status', 'HIT,ST'],
    ['HIT,STALE', noSpace],
  ],
  [
    ['api', 'GET', '/pull'],
    ['/pullzone', '/pullzone/', noSpace],
  ],
  [
    ['api', 'pullzone/2001/add'],
    ['pullzone/2001/addAllowedReferrer', noSpace],
  ],
  [
    ['logs', 'query', '2002', '-o', ''],
    ['table', 'json', 'ndjson', 'csv', noFiles],
  ],
  [['nope', 'pull'], [noFiles]],
  [['api', 'GET', '/', '--input', ''], [':0']],
  [['logs', 'download', '2002', '-f', 'x'], [':0']],
])('%j', async (words, suggestions) => {
  expect(await complete(...words)).toEqual(suggestions)
})

test('zones come from the cache', async () => {
  const home = await createHome({ CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'https://m.example' })
  const account = accountOf({ env: home.env, isExplicit: false })
  await addZones(home.env, account, [{ id: 9007199254740993n, name: 'shop' }], Date.now())
  const { out } = await runShell("cdn complete -- logs query ''", home)
  expect(out).toBe('shop\t9007199254740993\n9007199254740993\tshop\n:4\n')
  const other = { ...home, env: { ...home.env, CDN_MANAGEMENT_URL: 'https://other.example' } }
  expect((await runShell("cdn complete -- logs query ''", other)).out).toBe(':4\n')
})

test('profiles are suggested by name, without their keys', async () => {
  const home = await createHome()
  const profiles = { staging: { CDN_ACCESS_KEY: 'CANARY' }, production: { CDN_ACCESS_KEY: 'CANARY' } }
  await changeProfiles(home.env, () => ({ current: 'default', profiles }))
  for (const [line, out] of [
    ["--profile ''", 'staging\t\nproduction\t\n:4\n'],
    ['logs query --profile st', 'staging\t\n:4\n'],
    ["profiles use ''", 'staging\t\nproduction\t\n:4\n'],
  ]) {
    expect(await runShell(`cdn complete -- ${line}`, home), line).toEqual({ code: 0, out, err: '' })
  }
})

test('a name that a shell would run is not suggested, and one with line breaks adds no suggestion', async () => {
  const home = await createHome({ CDN_ACCESS_KEY: 'k' })
  const names = ['a$(touch pwned)', 'a`touch pwned`', 'a;touch pwned', "a'b", 'a b', 'a\n:0\nx', 'all-right']
  const zones = names.map((name, index) => ({ id: BigInt(index + 1), name }))
  await addZones(home.env, accountOf({ env: home.env, isExplicit: false }), zones, Date.now())
  const { out } = await runShell("cdn complete -- logs query ''", home)
  const lines = out.trim().split('\n')
  expect(lines.map((line) => line.split('\t')[0])).toEqual(['1', '2', '3', '4', '5', '6', 'all-right', '7', noFiles])
})
