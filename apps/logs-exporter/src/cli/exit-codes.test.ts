import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import type { Config } from '../config/config.ts'
import { parseConfig } from '../config/read-config.ts'
import type { EngineEvent } from '../engine/events.ts'
import { exitCodeOfFailures } from './exit-codes.ts'
import { createLog } from './log.ts'
import { observeRun } from './observe-run.ts'
import { openRuntime } from './open-runtime.ts'
import { runBatch } from './run-batch.ts'
import { watchRefusals } from './watch-refusals.ts'

const refusal = (status = 403) => new ApiError(new Response(null, { status }), undefined)
const full = new Error('the disk is full')
const twenty = Array.from({ length: 20 }, () => refusal())

test.each<[string, zones: number, failures: Error[], isAccepted: boolean, expected: boolean]>([
  ['one of two zones is refused', 2, [refusal()], false, false],
  ['every zone is refused', 2, [refusal(), refusal(401)], false, true],
  ['twenty of a thousand are refused', 1_000, twenty, false, true],
  ['twenty, but one was accepted', 40, twenty, true, false],
  ['another failure', 1, [full], false, false],
])('wrong credential: %s', (_, zones, failures, isAccepted, expected) => {
  let isReported = false
  let known = 0 // a daemon may begin without zones
  const onRefused = () => {
    isReported = true
  }
  const observe = watchRefusals({ isAccepted: () => isAccepted }, () => known, onRefused)
  known = zones
  for (const [n, error] of failures.entries())
    observe({ type: 'failed', zone: String(n), error, failures: 1, retryAt: 0 })
  expect(isReported).toBe(expected)
})

test.each([
  ['no zone was given up', [], 2, 0],
  ['all zones are refused', [refusal(), refusal(401)], 2, 3],
  ['one is refused, one is done', [refusal()], 2, 1],
  ['one is refused, one fails', [refusal(), full], 2, 1],
])('the exit code of a command that ends: %s', (_, errors, zones, code) => {
  expect(exitCodeOfFailures(errors, zones)).toBe(code)
})

function configIn(folder: string): Config {
  const settings = { loggingUrl: 'http://127.0.0.1:2', zones: ['1'], ledger: join(folder, 'state') }
  const text = JSON.stringify({ ...settings, sink: { type: 'files', path: join(folder, 'logs') } })
  return parseConfig(text, 'config', {})
}

const leftOut: EngineEvent = { type: 'stdout-skipped', error: full }
const lost: EngineEvent = { type: 'gap', gap: { zone: '1', from: 0, to: 1, reason: 'late', noticedAt: 0 } }

test.each<[string, EngineEvent[], number]>([
  ['nothing happened', [], 0],
  ['standard output left out a segment', [leftOut], 1],
  ['a range was lost, too', [leftOut, lost], 6],
])('the exit code of a run that was stopped: %s', async (_, events, code) => {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-run-'))
  const config = configIn(folder)
  {
    await using runtime = await openRuntime(config, { CDN_ACCESS_KEY: 'key' })
    using observed = observeRun(config, runtime, createLog(new PassThrough()))
    for (const event of events) for (const observe of runtime.observers) observe(event)
    expect(observed.result()).toBe(code)
  }
  await rm(folder, { recursive: true })
})

test.each<[string, lost: string[], number]>([
  ['nothing is lost', [], 130],
  ['a range is lost', ['lost'], 6],
])('the exit code of an export that was interrupted: %s', async (_, lost, code) => {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-run-'))
  const config = configIn(folder)
  const stop = new AbortController()
  const [out, err] = [new PassThrough(), new PassThrough()]
  const context = { env: { CDN_ACCESS_KEY: 'key' }, out, err, signal: stop.signal }
  const result = await runBatch(config, [], context, async () => {
    stop.abort()
    return [{ zone: '1', error: undefined, left: [], lost }]
  })
  expect(result).toBe(code)
  await rm(folder, { recursive: true })
})
