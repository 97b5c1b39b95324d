import type { LoggingClientOptions, Sleep } from '@cdn/api'
import { defaults } from '../../src/config/defaults.ts'
import { createReader } from '../../src/reader/api-reader.ts'
import { createBudget } from '../../src/reader/budget.ts'
import type { Reader } from '../../src/reader/reader.ts'
import { createPageCutter } from '../../src/rows/cut-page.ts'
import { createEncoder, type Encode, type Source } from '../../src/rows/encoder.ts'

/** The exporter's own reader, on a clock of the test's. */
export function testReader(clients: LoggingClientOptions, time: { now: () => number; sleep: Sleep }): Reader {
  return createReader({
    clients,
    budget: createBudget(defaults.memory),
    cut: createPageCutter(defaults.privacy),
    ...time,
  })
}

/** The exporter's own encoders, with the privacy that is the default. */
export function testEncode(replacesNul = false): Record<Source, Encode> {
  const options = { privacy: defaults.privacy, replacesNul }
  return { v2: createEncoder('v2', options), v1: createEncoder('v1', options) }
}
