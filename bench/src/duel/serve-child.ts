/**
 * `node --import ./redirect.ts serve-child.ts SERVER` serves on two free ports, with the real clock and without the rate limit, and
 * prints one line of JSON. On SIGTERM, it prints the number of requests and ends.
 */
import { createEmulator } from '@cdn/emulator'
import { baseVariants, furnish, withoutRateLimit } from './server.ts'

const emulator = await createEmulator({ seed: 1, clock: 'real', variants: baseVariants })
furnish(emulator, process.argv[2] ?? 'right')
withoutRateLimit(emulator)
let requests = 0
emulator.faults.add({
  name: 'count',
  text: 'Requests are counted.',
  around: (call, operation, next) => {
    requests += 1
    return next(call, operation)
  },
})
const { managementUrl, loggingUrl } = await emulator.listen()
const { watermarkFile, ...fixtures } = emulator.fixtures
console.log(JSON.stringify({ managementUrl, loggingUrl, fixtures: { ...fixtures, watermarkFile } }))
process.on('SIGTERM', () => {
  console.log(JSON.stringify({ requests }))
  process.exit()
})
