import { expect, test } from 'vitest'
import { allowed, killDeliveries, type Protocol } from './kill-deliveries.ts'

/** A small version of the campaign. */
test.each<Protocol>(['http', 'bulk', 'otlp', 'stdout'])(
  'a killed delivery loses no row, and doubles none that its receiver can tell: %s',
  { timeout: 300_000 },
  async (protocol) => {
    const result = await killDeliveries(protocol, 3)
    expect(result.missing).toBe(0)
    expect(result.doubled).toBeLessThanOrEqual(allowed(protocol, result))
    expect(result.rows).toBe(48)
  },
)
