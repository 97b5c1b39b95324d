import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Emulator } from '@cdn/emulator'
import { recordingFile } from './folders.ts'

/** A request that a tool sent to the correct server. */
export interface RecordedRequest {
  /** Time of the emulator's clock, in ms since 1970. */
  readonly at: number
  readonly method: string
  readonly interface: 'management' | 'logging'
  /** Path and query. */
  readonly target: string
  readonly headers: readonly [name: string, value: string][]
  /** In base64. */
  readonly body: string
}

/** Header with the time of a recorded request, for a server whose clock follows the recording. */
export const recordedAt = 'x-recorded-at'

/** Returns the recorded requests: first those of this suite, then those of the other tools that generate requests. */
export function readRecording(): RecordedRequest[] {
  return existsSync(recordingFile) ? JSON.parse(readFileSync(recordingFile, 'utf8')) : []
}

/** Returns the parameters for `fetch`. */
export function requestOf({ at, method, headers, body }: RecordedRequest): RequestInit {
  const bytes = Buffer.from(body, 'base64')
  return { method, headers: [...headers, [recordedAt, String(at)]], ...(bytes.length > 0 && { body: bytes }) }
}

/** Records the requests to an emulator. The returned function appends the first ones to `recordingFile`. */
export function recordRequests(emulator: Emulator, limit: number): () => void {
  const recording: RecordedRequest[] = []
  emulator.faults.add({
    name: 'record',
    text: 'Requests are recorded.',
    around: async (call, operation, next) => {
      const body = await call.body()
      recording.push({
        at: emulator.clock.now().getTime(),
        method: call.method,
        interface: call.interface === 'management' ? 'management' : 'logging',
        target: `${call.path}${call.query && `?${call.query}`}`,
        headers: headerNames.flatMap((name): [string, string][] => {
          const value = call.headers.get(name)
          return value === null ? [] : [[name, value]]
        }),
        body: Buffer.from(body).toString('base64'),
      })
      return next({ ...call, body: async () => body }, operation)
    },
  })
  return () => writeFileSync(recordingFile, JSON.stringify([...readRecording(), ...recording.slice(0, limit)]))
}

const headerNames = [
  'AccessKey',
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Encoding',
  'Range',
  'If-None-Match',
  'If-Modified-Since',
] as const
