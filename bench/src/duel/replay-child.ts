/**
 * `node --import ./redirect.ts replay-child.ts SERVER [MUTANT]` sends the recorded requests to a server and, in the same process,
 * with the mutant switched on, to a second one. It prints the number of requests and of those with a different response.
 */
import { readFileSync } from 'node:fs'
import { createEmulator } from '@cdn/emulator'
import { recordingFile } from './folders.ts'
import { baseVariants, furnish } from './server.ts'

export interface RecordedRequest {
  /** Time of the emulator's clock, in ms since 1970. */
  readonly at: number
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** In base64. */
  readonly body: string
}

if (process.argv[1] === import.meta.filename) {
  const recording: RecordedRequest[] = JSON.parse(readFileSync(recordingFile, 'utf8'))
  const [name = 'right'] = process.argv.slice(2)
  const expected = await replay(recording, 'right')
  const mutant = process.argv[3]
  switchMutant(mutant)
  const responses = await replay(recording, name)
  const first = responses.findIndex((response, index) => response !== expected[index])
  const different = responses.filter((response, index) => response !== expected[index]).length
  const { method, url } = recording[first] ?? {}
  console.log(JSON.stringify({ requests: recording.length, different, ...(method && { first: `${method} ${url}` }) }))
  process.exit()
}

function switchMutant(mutant: string | undefined): void {
  const { __stryker__: namespace } = globalThis as { __stryker__?: { activeMutant?: string | undefined } }
  if (namespace && mutant) namespace.activeMutant = mutant
}

async function replay(recording: readonly RecordedRequest[], name: string): Promise<string[]> {
  const emulator = await createEmulator({ seed: 1, variants: baseVariants })
  furnish(emulator, name)
  const responses: string[] = []
  for (const { at, method, url, headers, body } of recording) {
    emulator.clock.advance(Math.max(0, at - emulator.clock.now().getTime()))
    const bytes = Buffer.from(body, 'base64')
    try {
      const response = await emulator.fetch(url, {
        method,
        headers: headers.map(([key, value]) => [key, value]),
        ...(bytes.length > 0 && { body: bytes }),
      })
      responses.push(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`)
    } catch (error) {
      responses.push(String(error))
    }
  }
  return responses
}
