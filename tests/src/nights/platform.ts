/**
 * The platform of one night as a process, on the night's clock: `node platform.ts PORT FAULTS`, where FAULTS is JSON. It prints one line
 * of JSON like `cdn-emulator --json`, and `exercised` for each request that would show the fault `lenient`.
 */
import { createEmulator } from '@cdn/emulator'

export type FaultName = 'delete' | 'add' | 'expired' | 'lenient'

const [port = '0', names = '[]'] = process.argv.slice(2)
const faults: readonly FaultName[] = JSON.parse(names)
const emulator = await createEmulator({ clock: 'real' })
const { fixtures } = emulator
const { accessKey, bearer } = fixtures.credentials

if (faults.includes('delete')) emulator.faults.add({ name: 'internal-error', operation: 'delete-watermark' })
if (faults.includes('add')) emulator.faults.add({ name: 'internal-error', operation: 'add-allowed-referrer' })
if (faults.includes('expired')) emulator.faults.add({ name: 'unknown-cache-status' })
// With the fault `lenient`, two wrong credentials at once are accepted. A run sends them only every few nights.
emulator.faults.add({
  name: 'lenient',
  text: 'Two wrong credentials count as a right one.',
  around: async (request, operation, next) => {
    const [key, token] = [request.headers.get('AccessKey'), request.headers.get('Authorization')]
    const areBoth = key !== null && token !== null && key !== accessKey && token !== `Bearer ${bearer}`
    if (operation.name !== 'delete-watermark' || !areBoth) return next(request, operation)
    process.stdout.write('exercised\n')
    const headers = { get: (name: string) => (name.toLowerCase() === 'accesskey' ? accessKey : null) }
    return next(faults.includes('lenient') ? { ...request, headers } : request, operation)
  },
})
const { managementUrl, loggingUrl } = await emulator.listen({ port: Number(port) })
const env = { CDN_ACCESS_KEY: accessKey, CDN_BEARER_TOKEN: bearer }
const ids = { ...fixtures, credentials: { accessKey: 'CDN_ACCESS_KEY', bearer: 'CDN_BEARER_TOKEN' } }
process.stdout.write(`${JSON.stringify({ managementUrl, loggingUrl, fixtures: ids, env })}\n`)
