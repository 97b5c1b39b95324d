/** A hostile platform sends a credential under every usual name, in every form, in each response. No program may show a credential. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { createManagementClient } from '@cdn/api'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { attacksOf, describeAttacks, spellings } from '@cdn/kit/testing/attack'
import { listen } from '@cdn/kit/testing/listen'
import { secretNames } from '@cdn/kit/testing/secret-names'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { hourMs } from '@cdn/kit/time'
import { expect } from 'vitest'
import { commandOf, runScript } from './run-program.ts'

const folder = temporaryFolder()
let count = 0
const canary = () => `CANARY-${++count}-x9f3q7`
const jwt = () => `eyJ${Buffer.from(canary()).toString('base64url')}.CANARY${++count}.CANARY${++count}`

/** Fields that the contract does not state. */
function fields(): Record<string, unknown> {
  return {
    ...Object.fromEntries(secretNames.map((name) => [name, canary()])),
    more: { list: Object.fromEntries(secretNames.map((name) => [name, [canary(), { deep: canary() }]])) },
    Origin: `https://user:${canary()}@a.example/?token=${canary()}&sig=${canary()}#access_token=${canary()}`,
    note: `Bearer ${canary()}, Basic ${canary()}, ${jwt()}`,
    requestHeaders: [
      { name: 'Authorization', value: canary() },
      { value: canary(), name: 'Cookie' },
    ],
    headers: `Authorization: Digest ${canary()}\r\nCookie: a=${canary()}; b=${canary()}\r\nX-Api-Key: ${canary()}`,
    body: JSON.stringify({ more: JSON.stringify({ password: canary(), connectionString: canary() }) }),
  }
}

/** Adds `fields` to an object, or to each item of a list. The invalid `Name` makes checks fail, so that reports show the body. */
function spoil(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spoil)
  const { Items, data, ...own } = toRecord(value)
  if (Items) return { ...own, Items: spoil(Items) }
  if (data) return { ...own, data: spoil(data) }
  return { ...own, ...fields(), ...('Name' in own && { Name: 7 }) }
}

let emulator: Emulator
let server: Server
let base: string
/** Whether every request is refused. */
let refuses = false

async function open(): Promise<() => Promise<void>> {
  emulator = await createEmulator({ clock: 'real' })
  server = createServer(async (request, response) => {
    const to = request.url?.startsWith('/logging') ? emulator.loggingUrl : emulator.managementUrl
    const path = String(request.url).replace(/^\/\w+\//, '')
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      ['accesskey', 'authorization'].includes(name) ? [[name, String(value)] as [string, string]] : [],
    )
    const answer = await emulator.fetch(new Request(new URL(path, to), { method: String(request.method), headers }))
    const isJson = answer.headers.get('content-type')?.includes('json')
    for (const name of secretNames) response.setHeader(`x-${name}`, canary())
    response.setHeader('set-cookie', `session=${canary()}`)
    response.setHeader('location', `https://user:${canary()}@a.example/?code=${canary()}`)
    for (const name of ['date', 'content-type'])
      if (answer.headers.has(name)) response.setHeader(name, String(answer.headers.get(name)))
    response.statusCode = refuses ? 400 : answer.status
    const body = isJson ? JSON.stringify(spoil(await answer.json())) : await answer.text()
    response.end(refuses && !isJson ? JSON.stringify(fields()) : body)
  })
  base = await listen(server)
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    await emulator.close()
  }
}

/** Runs a program against the platform, in a folder of its own. @returns everything that it wrote */
async function run(args: readonly string[]): Promise<string> {
  const cwd = join(folder, String(++count))
  mkdirSync(cwd)
  const { zoneId, libraryId, loggedZoneId, credentials } = emulator.fixtures
  const sink = { type: 'files', path: 'segments', compression: 'none' }
  writeFileSync(
    join(cwd, 'export.yaml'),
    JSON.stringify({ zones: [loggedZoneId], ledger: 'state', sink, privacy: { queryTokens: 'mask' } }),
  )
  const names = { accessKey: 'CDN_ACCESS_KEY' }
  writeFileSync(join(cwd, 'fixtures.json'), JSON.stringify({ zoneId, libraryId, loggedZoneId, credentials: names }))
  const env = {
    HOME: cwd,
    CDN_ACCESS_KEY: credentials.accessKey,
    CDN_MANAGEMENT_URL: `${base}/management/`,
    CDN_LOGGING_URL: `${base}/logging/`,
  }
  const { out, err } = await runScript(cwd, args, { env })
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
  const written = files.filter((file) => statSync(join(cwd, file)).isFile() && !/ledger/.test(file))
  return [out, err, ...written.map((file) => readFileSync(join(cwd, file), 'latin1'))].join('\n')
}

const cdn = (line: string) => run(commandOf('apps/cli', line))
const exporter = (line: string) => run(commandOf('apps/logs-exporter', `${line} --config export.yaml`))
const suite = (line: string) =>
  run(commandOf('packages/conformance', `run --target live --fixtures fixtures.json --out reports ${line}`))
/** The start of an hour, as a time of a range. */
const hourAgo = (hours: number) => new Date((Math.floor(Date.now() / hourMs) - hours) * hourMs).toISOString()

/** Each program with each of its outputs. `[redacted]` shows that the output has a place where a secret was. */
const outputs: Readonly<Record<string, () => Promise<string>>> = {
  'cdn: JSON': () => cdn('pull-zone get 2001'),
  'cdn: a table': () => cdn('pull-zone get 2001 -o table'),
  'cdn: CSV': () => cdn('video-library list -o csv'),
  'cdn: an expression': () => cdn('pull-zone list --query [].{a:more,b:headers,c:Origin}'),
  'cdn: every header': () => cdn('pull-zone get 2001 --verbose'),
  'cdn: rows of logs': () => cdn('logs query 2002 --since 5h'),
  'exporter: files and dead letters': () => exporter(`backfill --from ${hourAgo(6)} --to ${hourAgo(5)}`),
  'suite: every report of a run': () =>
    suite(
      '--fail-on supplement,robustness --only management.get-pull-zone.*,logging.query-logs.200,management.list-pull-zones.200',
    ),
}

const errors: Readonly<Record<string, () => Promise<string>>> = {
  'client: an error': async () => {
    const accessKey = 'own-key-of-the-caller'
    const client = createManagementClient({ accessKey, baseUrl: `${base}/management/`, retry: false })
    const { error } = await client.GET('/pullzone/{id}', { params: { path: { id: 2001 } } })
    return spellings(error)
  },
  'cdn: a refusal': () => cdn('api GET /pullzone/2001'),
  'cdn: a refused read of logs': () => cdn('logs query 2002 --since 1h'),
  'exporter: a refusal': () => exporter('config check'),
  'suite: every report of a run that is refused': () => suite('--only management.get-pull-zone.200'),
}

async function showsNone(output: () => Promise<string>, mustRedact: boolean): Promise<void> {
  const shown = await output()
  // Compares only the number, because the output of a failed test must not show the secrets.
  expect(shown.split('CANARY').length - 1).toBe(0)
  if (mustRedact) expect(shown).toContain('[redacted]')
}

describeAttacks([
  {
    name: `secrets: ${secretNames.length} names and all forms, in every output`,
    holds: 'no output has a secret',
    open,
    attacks: attacksOf(outputs, (output) => showsNone(output, true)),
  },
  {
    name: 'secrets: errors that repeat them',
    holds: 'no message has a secret',
    open: async () => {
      const close = await open()
      refuses = true
      return close
    },
    attacks: attacksOf(errors, (output) => showsNone(output, false)),
  },
])
