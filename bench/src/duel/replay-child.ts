/**
 * `node --import ./redirect.ts replay-child.ts NAME [MUTANT]` sends the recorded requests to a server until a response differs from
 * that of the correct server, and prints one line of JSON. `--record` stores the responses of the correct server instead.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createEmulator } from '@cdn/emulator'
import { responsesFile } from './folders.ts'
import { readRecording, requestOf } from './recording.ts'
import { baseVariants, furnish, switchMutant } from './server.ts'
import type { Visibility } from './visibility.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { record: { type: 'boolean' } } })
const [name = 'right', mutant] = positionals
const expected: string[] = values.record ? [] : JSON.parse(readFileSync(responsesFile, 'utf8'))
const result = await replay().catch((error: unknown): Visibility => ({ broken: String(error).slice(0, 200) }))
if (values.record) writeFileSync(responsesFile, JSON.stringify(expected))
console.log(JSON.stringify(result))
process.exit()

async function replay(): Promise<Visibility> {
  switchMutant(mutant)
  const emulator = await createEmulator({ seed: 1, variants: baseVariants })
  furnish(emulator, name, Number.POSITIVE_INFINITY)
  for (const [index, request] of readRecording().entries()) {
    emulator.clock.advance(Math.max(0, request.at - emulator.clock.now().getTime()))
    const { origin } = request.interface === 'management' ? emulator.managementUrl : emulator.loggingUrl
    const response = await emulator
      .fetch(`${origin}${request.target}`, requestOf(request))
      .then(
        async (received) => `${received.status} ${JSON.stringify([...received.headers])} ${await received.text()}`,
        String,
      )
    const digest = createHash('sha256').update(response).digest('base64').slice(0, 12)
    if (values.record) expected.push(digest)
    else if (digest !== expected[index]) return { first: `${request.method} ${request.target.slice(0, 200)}` }
  }
  return {}
}
