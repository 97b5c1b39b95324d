import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from './support/platform.ts'

/** A canary key. For any command, the key must not appear in output, or in files except the profile. */
const key = 'CANARY0key0that0must0not0be0seen'

const lines = [
  'auth status',
  'auth status --verbose -o table --check',
  'pull-zone get 2001 --verbose',
  'pull-zone get 2999 --verbose',
  'pull-zone list --show-secrets',
  'pull-zone add-allowed-referrer 2001 --hostname a.example --dry-run',
  'video-library delete-watermark 1001',
  'video-library delete-watermark 1001 --yes --verbose',
  'api GET /pullzone/2001 --verbose',
  'api GET /echo --force --interface management',
  'logs query 2002 --since 1d --verbose',
  'logs query 2002 --since 1d --dry-run',
  'logs stats 2002 --since 1d',
  'logs tail 2002 --since 1h --for 1s',
  'logs download 2002 --file HOME/day.log',
  'pull-zone get abc',
  'pull-zone get 2001 --query a[',
  'auth login --no-check --profile other',
]

test.each(['profile', 'environment'] as const)('a key from the %s appears nowhere else', async (owner) => {
  const { run, emulator, env } = await createPlatform()
  const home = temporaryFolder(onTestFinished)
  const [account] = emulator.state.keys.values()
  if (account) emulator.state.keys.set(key, account)
  const urls = ['--management-url', emulator.managementUrl.href, '--logging-url', emulator.loggingUrl.href]
  const none = Object.fromEntries(Object.keys(env).map((name) => [name, '']))
  const login = await run(['auth', 'login', ...urls], { input: key, env: { ...none, HOME: home } })
  expect(login.code, login.err).toBe(0)
  const known = owner === 'profile' ? none : { CDN_ACCESS_KEY: key }
  let time = emulator.clock.now().getTime()
  const sleep = async (ms: number) => {
    time += ms
  }
  for (const line of lines) {
    const setting = { input: key, env: { ...known, HOME: home }, now: () => new Date(time), sleep }
    const { out, err } = await run(line.replace('HOME', home).split(' '), setting)
    expect(out + err, line).not.toContain(key)
  }
  expect(emulator.journal.entries.filter(({ status }) => status < 300).length).toBeGreaterThan(5)
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const withKey: string[] = []
  for (const file of files) if ((await readFile(file)).includes(key)) withKey.push(file)
  expect(withKey).toEqual([join(home, '.config/cdn/profiles.json')])
})
