import type { Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import type { Fault } from '../../src/faults/fault-table.ts'
import { readRows, type StoredLogRow } from '../../src/platform/state/log-row.ts'

/** Sends a request in process to one of the interfaces. `init.headers` replaces the header with the access key. */
export interface Ask {
  management(path: string, init?: RequestInit): Promise<Response>
  logging(path: string, init?: RequestInit): Promise<Response>
}

/** Starts an emulator for tests. The conformance suite validates its responses against the contract. */
export async function start(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; ask: Ask }> {
  const emulator = await createEmulator(options)
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
  const send = (path: string, base: URL, init?: RequestInit) =>
    emulator.fetch(new URL(path, base), { headers, ...init })
  return {
    emulator,
    ask: {
      management: (path, init) => send(path, emulator.managementUrl, init),
      logging: (path, init) => send(path, emulator.loggingUrl, init),
    },
  }
}

/** Creates a POST request with a JSON body and the access key. */
export function jsonRequest(emulator: Emulator, body: unknown): RequestInit {
  return {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { AccessKey: emulator.fixtures.credentials.accessKey, 'Content-Type': 'application/json' },
  }
}

/** Creates a fault that changes the contract of each operation. */
export function alter(change: (operation: Operation) => Operation): Fault {
  return {
    name: 'alter',
    text: 'The contract is changed.',
    around: (call, operation, next) => next(call, change(operation)),
  }
}

/** Removes the rate limit, for tests that send many requests. */
export const unlimited: Fault = alter(({ rateLimit: _rateLimit, ...operation }) => operation)

/** Creates a row with ordinary values for the omitted fields. */
export function createRow(
  fields: Pick<StoredLogRow, 'timestamp' | 'pullZoneId'> & Partial<StoredLogRow>,
): StoredLogRow {
  const [row] = readRows({ rows: [{ requestId: '0123456789abcdef0123456789abcdef', bytesSent: 1, ...fields }] })
  return assertDefined(row)
}
