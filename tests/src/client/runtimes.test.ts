import { createEmulator, type Emulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { close, createOddHandler, type RunningServer, serve } from './odd-server.ts'
import { runtimes } from './runtimes.ts'
import { type Setting, suite } from './suite.ts'

let emulator: Emulator
let foreign: RunningServer
let odd: RunningServer
let code: string
let setting: Setting
const foreignRequests: string[] = []

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/suite.ts`],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    write: false,
  })
  code = assertDefined(outputFiles[0]).text
  emulator = await createEmulator()
  const { managementUrl, loggingUrl } = await emulator.listen()
  foreign = await serve((request, response) => {
    foreignRequests.push(String(request.url))
    response.end('{}')
  })
  const gone = await serve(() => {})
  await close(gone)
  const targets = { management: bare(managementUrl), logging: bare(loggingUrl) }
  const files = { '/': ['text/html', '<!doctype html>'], '/suite.js': ['text/javascript', code] } as const
  odd = await serve(createOddHandler(targets, files, foreign.url))
  const { credentials, ...ids } = emulator.fixtures
  setting = {
    ...ids,
    managementUrl: `${odd.url}/management`,
    loggingUrl: `${odd.url}/logging`,
    oddUrl: odd.url,
    refusedUrl: gone.url,
    accessKey: credentials.accessKey,
    bearer: credentials.bearer,
    now: emulator.clock.now().toISOString(),
    provesUnsent: false,
  }
})

afterAll(async () => {
  await emulator.close()
  await Promise.all([close(odd), close(foreign)])
})

const bare = (url: URL) => url.href.replace(/\/$/, '')

describe.each(runtimes)('in $name', ({ provesUnsent, run }) => {
  let results: Record<string, string>
  beforeAll(async () => {
    emulator.clock.advance(60_000) // each runtime starts with the full rate limit
    results = await run(code, { ...setting, provesUnsent })
  }, 300_000)

  test.each(Object.keys(suite))('%s', (name) => {
    expect(results[name]).toBe('')
  })
})

test('no request went to the target of a redirect', () => {
  expect(foreignRequests).toEqual([])
})
