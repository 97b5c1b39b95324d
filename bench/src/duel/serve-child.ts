/**
 * `node --import ./redirect.ts serve-child.ts NAME [MUTANT]` serves on two free ports, with the real clock and without the rate limit,
 * and prints one line of JSON. With `--recorded`, the clock follows the header `x-recorded-at` of the requests instead. On
 * SIGTERM, it prints the number of requests and ends; with `--record`, it also stores the requests for the replay.
 */
import { parseArgs } from 'node:util'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { recordedAt, recordRequests } from './recording.ts'
import { baseVariants, furnish, maxRequests, switchMutant, withoutRateLimit } from './server.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { recorded: { type: 'boolean' }, record: { type: 'boolean' } },
})
const [name = 'right', mutant] = positionals
switchMutant(mutant)
const emulator = await createEmulator({ seed: 1, variants: baseVariants, ...(!values.recorded && { clock: 'real' }) })
const countRequests = furnish(emulator, name)
withoutRateLimit(emulator)
if (values.recorded) followRecording(emulator)
const writeRecording = values.record && recordRequests(emulator, maxRequests)
const { managementUrl, loggingUrl } = await emulator.listen()
const { watermarkFile, ...fixtures } = emulator.fixtures
console.log(JSON.stringify({ managementUrl, loggingUrl, fixtures: { ...fixtures, watermarkFile } }))
process.on('SIGTERM', () => {
  if (writeRecording) writeRecording()
  console.log(JSON.stringify({ requests: countRequests() }))
  process.exit()
})

function followRecording({ faults, clock }: Emulator): void {
  faults.add({
    name: 'recorded clock',
    text: 'The clock shows the time of the recorded request.',
    around: (call, operation, next) => {
      clock.advance(Math.max(0, Number(call.headers.get(recordedAt)) - clock.now().getTime()))
      return next(call, operation)
    },
  })
}
