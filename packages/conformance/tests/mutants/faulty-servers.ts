/** Each fault of the emulator on each operation, as servers under test. */
import { operations } from '@cdn/api/contract'
import { type FaultName, faultTable, implemented } from '@cdn/emulator'
import { createPlan } from '../../src/index.ts'
import type { ServerUnderTest } from './mutant.ts'

/** Faults that are left out, because they only delay responses, or never send one (`time-out`). */
const slowFaults = ['latency', 'slow-body', 'time-out']
const faults = (Object.keys(faultTable) as FaultName[]).filter((name) => !slowFaults.includes(name))

/** The requirements that a fault breaks, if it changes only some responses. Any other fault breaks all sentences about responses. */
const ofFault: Partial<Record<FaultName, RegExp>> = {
  'stricter-rate-limit': /rate-limit/,
  'rate-limited': /rate-limit/,
  'unknown-cache-status': /cache-status\.values/,
  'repeated-page':
    /pagination|partition|authentication|errors\.unauthorized|error-place|rate-limit|echo|has-more|\.zone$|\.order$/,
  'null-data': /\.body$|raw-logs|\.json$|\.echo$/,
}

const { requirements } = createPlan()

export const faultyServers: readonly ServerUnderTest[] = faults.flatMap((name) =>
  operations
    .filter((operation) => implemented.has(operation.name))
    .map(({ name: operation, interface: of }) => {
      const ofResponses = new RegExp(
        String.raw`^${of}\.(${operation}\.(2xx|\d{3}.*|body|json|bytes.*|line|pipe-delimited|attachment|retention-.*|access-key)|authentication\.|errors\.|service\.|rate-limit\.)`,
      )
      return {
        id: `${name} on ${operation}`,
        operations: [operation],
        breaks: requirements.flatMap(({ id }) => ((ofFault[name] ?? ofResponses).test(id) ? [id] : [])),
        apply: (emulator) => void emulator.faults.add({ name, operation }),
      }
    }),
)
