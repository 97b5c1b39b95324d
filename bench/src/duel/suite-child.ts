/**
 * `node --import ./redirect.ts suite-child.ts SERVER SEED [--record]` runs this suite live against a server, in simulated time, and
 * prints one line of JSON. `--record` also stores its requests for the replay.
 */
import { writeFileSync } from 'node:fs'
import type { Emulator } from '@cdn/emulator'
import { runLive } from '../../../packages/conformance/tests/support/live-run.ts'
import { recordingFile } from './folders.ts'
import type { RecordedRequest } from './replay-child.ts'
import { furnish } from './server.ts'
import type { Result } from './tool.ts'

const [server = 'right', seed = '1', record] = process.argv.slice(2)
const recording: RecordedRequest[] = []
const begun = performance.now()
let result: Omit<Result, 'seconds'>
try {
  const { runs, requests } = await runLive(
    {
      name: server,
      traffic: 'planted',
      break: (emulator) => {
        furnish(emulator, server)
        if (record) recordRequests(emulator)
      },
    },
    { caseSeed: Number(seed) },
  )
  const failed = runs.filter((run) => run.result.outcome === 'fail')
  result = {
    problems: failed.map((run) => run.result.id),
    // Without the supplement, the suite runs only the checks that rely on the spec alone.
    fromSpec: failed.filter((run) => run.result.basis === 'spec').map((run) => run.result.id),
    requests,
  }
} catch (error) {
  // The preflight refuses to start a run, with a message and exit code 2.
  const problem = `preflight: ${String(error).slice(0, 200)}`
  result = { problems: [problem], fromSpec: [problem], requests: 0 }
}
if (record) writeFileSync(recordingFile, JSON.stringify(recording.slice(0, 5_000)))
console.log(JSON.stringify({ ...result, seconds: (performance.now() - begun) / 1000 } satisfies Result))
process.exit()

function recordRequests(emulator: Emulator): void {
  emulator.faults.add({
    name: 'record',
    text: 'Requests are recorded.',
    around: async (call, operation, next) => {
      const body = await call.body()
      const base = call.interface === 'management' ? emulator.managementUrl : emulator.loggingUrl
      const names = [
        'AccessKey',
        'Authorization',
        'Content-Type',
        'Accept',
        'Accept-Encoding',
        'Range',
        'If-None-Match',
        'If-Modified-Since',
      ]
      recording.push({
        at: emulator.clock.now().getTime(),
        method: call.method,
        url: `${base.origin}${call.path}${call.query && `?${call.query}`}`,
        headers: names.flatMap((name) => {
          const value = call.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        }),
        body: Buffer.from(body).toString('base64'),
      })
      return next({ ...call, headers: call.headers, body: async () => body }, operation)
    },
  })
}
