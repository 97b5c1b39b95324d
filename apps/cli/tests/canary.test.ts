import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, type Home, runShell } from './support/program.ts'

/**
 * A canary key. For any command, the key must not appear in arguments or environments of child processes, in files except the
 * profile, or in output. A preloaded Node module records every process that the program starts.
 */
const key = 'CANARY0key0that0must0not0be0seen'

const spy = `
import { appendFileSync } from 'node:fs'
import { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
const { spawn } = ChildProcess.prototype
ChildProcess.prototype.spawn = function (options) {
  const { args, envPairs } = options
  appendFileSync(join(process.env.HOME, 'children.ndjson'), JSON.stringify({ args, envPairs }) + '\\n')
  return spawn.call(this, options)
}
`

/** Creates a home for command lines. A profile or the environment holds the key. */
async function openHome(emulator: Emulator, knows: 'profile' | 'environment'): Promise<Home> {
  const { managementUrl, loggingUrl } = await emulator.listen()
  onTestFinished(() => emulator.close())
  const [account] = emulator.state.keys.values()
  if (account) emulator.state.keys.set(key, account)
  const home = await createHome()
  await writeFile(join(home.folder, 'spy.mjs'), spy)
  const urls = `--management-url ${managementUrl.href} --logging-url ${loggingUrl.href}`
  const login = await runShell(`printf %s ${key} | cdn auth login ${urls}`, home)
  expect(login.code, login.err).toBe(0)
  const known = { CDN_ACCESS_KEY: key, CDN_MANAGEMENT_URL: managementUrl.href, CDN_LOGGING_URL: loggingUrl.href }
  const env = { ...home.env, NODE_OPTIONS: `--import ${join(home.folder, 'spy.mjs')}`, SHELL: '/bin/sh' }
  return { ...home, env: knows === 'profile' ? env : { ...env, ...known } }
}

/** Finds every file below a folder that contains the key. */
async function filesWithKey(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const matches: string[] = []
  for (const file of files) if ((await readFile(file)).includes(key)) matches.push(file)
  return matches
}

const lines = [
  'cdn auth status',
  'cdn auth status --verbose -o table',
  'cdn pull-zone get 2001 --verbose',
  'cdn pull-zone get 2999 --verbose',
  'cdn pull-zone add-allowed-referrer 2001 --hostname a.example --dry-run',
  'cdn video-library delete-watermark 1001',
  'cdn video-library delete-watermark 1001 --yes --verbose',
  'cdn api GET /pullzone/2001 --verbose',
  'cdn api GET /echo --force',
  'cdn logs query 2002 --since 1d --verbose',
  'cdn logs query 2002 --since 1d --dry-run',
  'cdn logs stats 2002 --since 1d',
  'cdn logs tail 2002 --since 1h --for 500ms',
  'cdn logs download 2002',
  'cdn pull-zone get abc',
  'cdn pull-zone get 2001 --query "a["',
  `printf %s ${key} | cdn auth login --profile other`,
  'cdn completion bash',
]

test.each(['profile', 'environment'] as const)('a key from the %s appears nowhere else', async (knows) => {
  const emulator = await createEmulator({ clock: 'real' })
  const home = await openHome(emulator, knows)
  await mkdir(join(home.folder, 'work'))
  for (const line of lines) {
    const { out, err } = await runShell(line, home)
    expect(out + err, line).not.toContain(key)
  }
  const accepted = emulator.journal.entries.filter(({ status }) => status < 300).length
  expect(accepted).toBeGreaterThan(5)
  expect(await filesWithKey(home.folder)).toEqual([join(home.folder, '.config/cdn/profiles.json')])
})
