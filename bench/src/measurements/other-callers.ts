import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '@cdn/kit/defined'
import { digits, type Measurement, type Row } from '../row.ts'
import { type Subject, startSubject } from '../subjects/child.ts'

const zone = '10001'
const rowsPerSecond = 5_000_000 / 86_400
/** Maximum latency of the second caller, as the 99th percentile in milliseconds. */
const bound = 50
const calls = 400

const page = `v2/pullzones/${zone}/logs?from=2026-06-17T00:00:00Z&to=2026-06-18T00:00:00Z`
/** Requests of the first caller, sent without pauses. Each scans millions of rows. */
const reads: Readonly<Record<string, string>> = {
  'late slices of a v1 file': `06-17-26/${zone}.log?start=4500000&end=4500100`,
  'a v1 search without a match': `06-17-26/${zone}.log?search=nothing-has-this`,
  'a v2 filter without a match': `${page}&urlContains=nothing-has-this`,
  'a v2 page behind a deep offset': `${page}&status=404&offset=200000`,
}

/** Measures the latency of one caller while another one reads from a day of five million rows. */
export const otherCallers: Measurement = {
  name: 'other-callers',
  async run() {
    const traffic = { zones: 1, rowsPerSecond }
    const subject = await startSubject('emulator-server', { start: '2026-06-18T00:00:00.000Z', traffic })
    try {
      const alone = await latencies(subject)
      const rows: Row[] = []
      for (const [what, path] of Object.entries(reads)) rows.push(await during(subject, what, path, percentile(alone)))
      return rows
    } finally {
      await subject.stop()
    }
  },
}

async function during(subject: Subject, what: string, path: string, aloneMs: number): Promise<Row> {
  const stop = new AbortController()
  const reading = (async () => {
    while (!stop.signal.aborted) {
      const response = await fetch(new URL(path, subject.loggingUrl), {
        headers: { AccessKey: subject.accessKey },
        signal: stop.signal,
      })
      if (response.status === 429) await sleep(1_000)
      else if (!response.ok) throw new Error(`${what}: unexpected status ${response.status}`)
      await response.arrayBuffer()
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  const waited = await latencies(subject)
  stop.abort()
  await reading
  const p99 = percentile(waited)
  return {
    what: `a request during ${what}: p99 of ${waited.length}`,
    ours: `${digits(p99)} ms`,
    peer: `alone ${digits(aloneMs)} ms`,
    bound: `at most ${bound} ms`,
    met: p99 <= bound,
  }
}

/**
 * Sends requests to the management interface in sequence.
 *
 * @returns the latencies in milliseconds
 * @throws Error if a status is not 200
 */
async function latencies({ managementUrl, accessKey }: Subject): Promise<number[]> {
  const all: number[] = []
  while (all.length < calls) {
    const begun = performance.now()
    const response = await fetch(new URL(`pullzone/${zone}`, managementUrl), { headers: { AccessKey: accessKey } })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`Unexpected status ${response.status} for the second caller`)
    all.push(performance.now() - begun)
    await sleep(5)
  }
  return all
}

function percentile(values: readonly number[]): number {
  return defined(values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1])
}
