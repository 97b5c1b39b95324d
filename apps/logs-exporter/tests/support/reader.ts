import type { LoggingClientOptions } from '@cdn/api'
import { defaults } from '../../src/config/defaults.ts'
import { type ApiReaderOptions, createApiReader } from '../../src/reader/api-reader.ts'
import { createBudget } from '../../src/reader/budget.ts'
import type { WindowReader } from '../../src/reader/reader.ts'
import type { BatchSource } from '../../src/rows/batch.ts'
import { createEncoder, type Encode } from '../../src/rows/encoder.ts'

/** The exporter's real reader, with a clock of the test. */
export function testReader(
  clients: LoggingClientOptions,
  options: Pick<ApiReaderOptions, 'now' | 'machineTime' | 'sleep' | 'onClock' | 'includeOriginShield'>,
): WindowReader {
  return createApiReader({ clients, budget: createBudget(defaults.memory), ...options })
}

/** The exporter's real encoders, with the default privacy rules. */
export function testEncode(replacesNul = false): Record<BatchSource, Encode> {
  const options = { privacy: defaults.privacy, replacesNul }
  return { v2: createEncoder('v2', options), v1: createEncoder('v1', options) }
}
