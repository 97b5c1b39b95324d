import type { Fault } from '@cdn/emulator'
import { parseConfig } from '../../src/config/read-config.ts'
import { createEncoder, type RowEncoder } from '../../src/rows/encoder.ts'
import type { Sink } from '../../src/sinks/sink.ts'

/** A configuration without optional settings. */
export const minimalConfig = parseConfig(
  'loggingUrl: https://logging.example\nzones: ["1"]\nsink: {type: files, path: logs}',
  'config.yaml',
  {},
)

/** Switches the rate limit off, for tests that are only about contents. */
export const unlimited: Fault = {
  name: 'unlimited',
  text: 'No rate limit.',
  around: (call, { rateLimit: _, ...operation }, next) => next(call, operation),
}

/** The exporter's real encoder, with the default privacy rules. @param sink whose rows it encodes */
export function testEncode({ replacesNul, takesValues }: Partial<Sink> = {}): RowEncoder {
  return createEncoder({ privacy: minimalConfig.privacy, replacesNul, takesValues })
}
