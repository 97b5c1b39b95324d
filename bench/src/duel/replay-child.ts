/**
 * `node --import ./redirect.ts replay-child.ts` reads servers from standard input, one line of JSON each. It sends the recorded
 * requests to each server until a response differs from that of the correct server, and prints a line of JSON per server.
 */
import { createInterface } from 'node:readline'
import { createEmulator } from '@cdn/emulator'
import { type RecordedRequest, readRecording, requestOf } from './recording.ts'
import { baseVariants, furnish, switchMutant } from './server.ts'
import type { Subject } from './tool.ts'

const recording = readRecording()
const expected: string[] = []
await replay({ name: 'right' }, (response) => expected.push(response) > 0)
for await (const line of createInterface(process.stdin)) {
  try {
    const first = await replay(JSON.parse(line), (response, index) => response === expected[index])
    console.log(JSON.stringify(first ? { first: `${first.method} ${first.target.slice(0, 200)}` } : {}))
  } catch (error) {
    console.log(JSON.stringify({ broken: String(error).slice(0, 200) }))
  }
}
process.exit()

/** Returns the first request whose response `continues` refuses. */
async function replay(
  { name, mutant }: Subject,
  continues: (response: string, index: number) => boolean,
): Promise<RecordedRequest | undefined> {
  switchMutant(mutant)
  const emulator = await createEmulator({ seed: 1, variants: baseVariants })
  furnish(emulator, name, Number.POSITIVE_INFINITY)
  for (const [index, request] of recording.entries()) {
    emulator.clock.advance(Math.max(0, request.at - emulator.clock.now().getTime()))
    const { origin } = request.interface === 'management' ? emulator.managementUrl : emulator.loggingUrl
    const response = await emulator
      .fetch(`${origin}${request.target}`, requestOf(request))
      .then(
        async (received) => `${received.status} ${JSON.stringify([...received.headers])} ${await received.text()}`,
        String,
      )
    if (!continues(response, index)) return request
  }
  return undefined
}
