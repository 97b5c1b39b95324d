/** A changed fact of the contract has its effect in the whole repository. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository, repository } from './copy.ts'
import { runContractChecks } from './run-in.ts'

let copy: string
beforeAll(() => {
  copy = copyRepository()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function edit(file: string, from: string | RegExp, to: string): void {
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

function run(folder: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: join(copy, folder), encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

interface Task {
  readonly taskId: string
  readonly hash: string
}

/** Returns the hash of each task. It decides whether the result of the task comes from the cache. */
function hashes(): Map<string, string> {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
  const args = ['run', 'generate', 'lint', 'types', 'test', '--dry=json']
  const { stdout: text, stderr } = spawnSync(turbo, args, { cwd: copy, env, encoding: 'utf8' })
  expect(text, stderr).toContain('{')
  const { tasks }: { tasks: Task[] } = JSON.parse(text.slice(text.indexOf('{')))
  return new Map(tasks.map(({ taskId, hash }) => [taskId, hash]))
}

const turbo = join(repository, 'node_modules/.bin/turbo')
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')

test('a changed spec changes the hash of every task, so that no cached result is used', () => {
  const before = hashes()
  expect(before.size).toBeGreaterThan(8)
  edit('specs/management/pull-zone.yaml', 'minLength: 1', 'minLength: 2')
  const after = hashes()
  edit('specs/management/pull-zone.yaml', 'minLength: 2', 'minLength: 1')
  expect([...before].filter(([task, hash]) => after.get(task) === hash).map(([task]) => task)).toEqual([])
  expect(hashes()).toEqual(before)
}, 300_000)

test('a fact that changes only in the spec fails the test of the table, and makes generated files stale', () => {
  edit('specs/logging/openapi.yaml', 'requests: 30', 'requests: 20')
  const table = run('specs', [vitest, 'run', '--testTimeout=180000', 'tools/facts.test.ts'])
  expect(table.status).toBe(1)
  expect(table.output).toContain('/x-rate-limit/requests should be 30 and is 20')
  const generated = run('packages/api', [
    vitest,
    'run',
    '--testTimeout=180000',
    '--hookTimeout=180000',
    'scripts/generate.test.ts',
  ])
  expect(generated.status).toBe(1)
  expect(generated.output).toContain('limits.ts')
}, 300_000)

test('client, emulator and suite use a rate limit that changes in the spec and the table', () => {
  edit('specs/tools/tests/facts/operations.ts', /(\/x-rate-limit\/requests'[^\n]*?)30/, '$120')
  const table = run('specs', [vitest, 'run', '--testTimeout=180000', 'tools/facts.test.ts'])
  expect(table.status, table.output).toBe(0)
  expect(run('packages/api', ['scripts/generate.ts']).status).toBe(0)
  const limits = readFileSync(join(copy, 'packages/api/src/gen/limits.ts'), 'utf8')
  expect(limits).toContain('requests: 20')

  const probe = run('packages/conformance', ['--input-type=module', '--eval', countAccepted])
  expect(probe.output.trim().split('\n').at(-1)).toBe('{"emulator":20,"client":20}')

  const { outcomes } = runContractChecks(copy, ['rate-limit'])
  expect(Object.keys(outcomes)).toEqual(['pass'])
}, 300_000)

/** Prints how many of 40 requests at the same virtual time the emulator accepts, and how many the client's limiter starts. */
const countAccepted = `
  import { createEmulator } from '@cdn/emulator'
  import { createLimiter } from '@cdn/api'
  const { fetch, loggingUrl, fixtures } = await createEmulator()
  const url = new URL('/v2/pullzones/' + fixtures.loggedZoneId + '/logs', loggingUrl)
  const headers = { AccessKey: fixtures.credentials.accessKey }
  let emulator = 0
  let client = 0
  for (let sent = 0; sent < 40; sent++) if ((await fetch(url, { headers })).ok) emulator++
  const limiter = createLimiter({ now: () => 0, sleep: () => new Promise(() => {}) })
  for (let sent = 0; sent < 40; sent++) limiter.run(1, async () => void client++)
  await new Promise((resolve) => setImmediate(resolve))
  console.log(JSON.stringify({ emulator, client }))
`
