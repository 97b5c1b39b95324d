import type { LoggingClientOptions } from '@cdn/api'
import { parseConfig } from '../../src/config/read-config.ts'
import { type ApiReaderOptions, createApiReader, type WindowReader } from '../../src/reader/api-reader.ts'
import { createEncoder, type Encode } from '../../src/rows/encoder.ts'
import type { BatchSource } from '../../src/segments/segment.ts'

/** A configuration without optional settings. */
export const defaults = parseConfig(
  'loggingUrl: https://logging.example\nzones: ["1"]\nsink: {type: files, path: logs}',
  'config.yaml',
  {},
)

/** The exporter's real reader, with a clock of the test. */
export function testReader(
  clients: LoggingClientOptions,
  options: Pick<ApiReaderOptions, 'now' | 'machineTime' | 'sleep' | 'onClock' | 'includeOriginShield'>,
): WindowReader {
  return createApiReader({ clients, memory: defaults.memory, ...options })
}

/** The exporter's real encoders, with the default privacy rules. */
export function testEncode(replacesNul = false): Record<BatchSource, Encode> {
  const options = { privacy: defaults.privacy, replacesNul }
  return { v2: createEncoder('v2', options), v1: createEncoder('v1', options) }
}
