import { ApiError, TransportError } from '@cdn/api'
import { expect, test } from 'vitest'
import { runCycles } from './engine.ts'
import type { EngineOptions } from './options.ts'
import { createZoneSchedule } from './schedule.ts'

const full = new Error('the disk is full')
const refusal = new ApiError(new Response(null, { status: 403 }), undefined)
const slow = new TransportError({ operation: 'query-logs', text: 'GET /' }, 'timeout', 'took longer than 60000 ms')

/** For each zone, what its cycles give: the time until the next one, in ms, or an error. */
type Cycles = Readonly<Record<string, (number | Error)[]>>

test.each<[string, Cycles, failed: string[]]>([
  ['a zone without work', { 1: [1] }, []],
  ['more closed windows', { 1: [1], 2: [0, 0, 1] }, []],
  ['two failures', { 1: [full, full, 1] }, []],
  ['failures that are not in a row', { 1: [full, full, 0, full, full, 1] }, []],
  ['three failures', { 1: [full, full, full], 2: [0, 1] }, ['1']],
  ['a time-out', { 1: [slow], 2: [0, 1] }, ['1']],
  ['a refusal', { 1: [0, 1], 2: [refusal] }, ['2']],
  ['zones that end before another one', { 1: [1], 2: [refusal], 3: [full, full, 1] }, ['2']],
  ['nothing but failures', { 1: [refusal], 2: [slow] }, ['1', '2']],
])('a command that ends runs exactly the cycles that it needs: %s', async (_, cycles, failed) => {
  const zones = Object.keys(cycles)
  /** Zones that had one cycle too many. */
  const more: string[] = []
  let time = 0
  const sleep = async (ms: number) => {
    if (ms === Number.POSITIVE_INFINITY) return new Promise<void>(() => {})
    time += ms
  }
  const options = {
    schedule: createZoneSchedule(zones, { elapsed: () => time, sleep }),
    reader: { synchronize: async () => {}, now: () => time },
    ledger: { position: async () => 0, setFailure: async () => {} },
    plan: { retention: 0, margin: 0 },
    observe() {},
    signal: new AbortController().signal,
  } as unknown as EngineOptions // safe: the rest belongs to the cycle
  const given = await runCycles(
    options,
    async ({ zone }) => {
      const result = cycles[zone]?.shift()
      if (result === undefined) more.push(zone)
      if (typeof result !== 'number') throw result
      return { nextDue: time + result, deadline: 0 }
    },
    zones,
  )
  expect([...given.keys()]).toEqual(failed)
  expect([Object.values(cycles).flat(), more]).toEqual([[], []])
})
