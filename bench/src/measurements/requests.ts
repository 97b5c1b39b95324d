import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { digits, type Measurement, type Row } from '../row.ts'
import { type BenchServer, startServer } from '../servers/child.ts'

const rounds = 7
const calls = 2_000

/** Measures processor time per request: a read, compared with express, and a write with many pull zones, compared with few. */
export const requests: Measurement = {
  name: 'requests',
  run: async () => [await reads(), await writes()],
}

async function reads(): Promise<Row> {
  const [ours, express] = await Promise.all([startServer('request-server'), startServer('request-server', 'express')])
  const measure = async ({ managementUrl, accessKey, processorTime }: BenchServer) => {
    const before = await processorTime()
    for (let n = 0; n < calls; n++) {
      const response = await fetch(new URL('pullzone/2001', managementUrl), { headers: { AccessKey: accessKey } })
      if ((await response.text()) === '' || !response.ok) throw new Error(`Unexpected status ${response.status}`)
    }
    return ((await processorTime()) - before) / calls
  }
  try {
    const us = { ours: Number.POSITIVE_INFINITY, express: Number.POSITIVE_INFINITY }
    for (let round = 0; round < rounds; round++) {
      us.ours = Math.min(us.ours, await measure(ours))
      us.express = Math.min(us.express, await measure(express))
    }
    return {
      what: 'GET a pull zone over a socket: processor time of the server',
      ours: `${digits(us.ours)} us`,
      peer: `express with the same route ${digits(us.express)} us: ${digits(us.ours / us.express)} times`,
      bound: 'at most 1 times',
      met: us.ours <= us.express,
    }
  } finally {
    await Promise.all([ours.stop(), express.stop()])
  }
}

async function writes(): Promise<Row> {
  const [few, many] = await Promise.all([10, 10_000].map(withZones))
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++)
    for (const [index, write] of [assertDefined(few), assertDefined(many)].entries()) {
      const start = process.cpuUsage()
      for (let n = 0; n < calls; n++) await write()
      const { user, system } = process.cpuUsage(start)
      best[index] = Math.min(assertDefined(best[index]), (user + system) / calls)
    }
  const ratio = assertDefined(best[1]) / assertDefined(best[0])
  return {
    what: 'add a referrer in process with 10,000 pull zones',
    ours: `${digits(assertDefined(best[1]))} us`,
    peer: `with 10 pull zones: ${digits(ratio)} times`,
    bound: 'at most 1.5 times',
    met: ratio <= 1.5,
  }
}

async function withZones(zones: number): Promise<() => Promise<void>> {
  const emulator = await createEmulator({ traffic: { zones, rowsPerSecond: 0.001 } })
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey, 'content-type': 'application/json' }
  const url = new URL(`pullzone/${emulator.fixtures.zoneId}/addAllowedReferrer`, emulator.managementUrl)
  const body = JSON.stringify({ Hostname: 'a.example' })
  return async () => {
    const { ok, status } = await emulator.fetch(url, { method: 'POST', headers, body })
    if (!ok) throw new Error(`Unexpected status ${status}`)
  }
}
