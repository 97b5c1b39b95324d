import type { Operation } from '@cdn/api/contract'
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts'
import type { Fault } from './faults/fault.ts'
import { harmless, witness } from './oracle/witness.ts'
import type { LogRow } from './state/log-row.ts'

/** Sends a request in process with the key, unless other headers are given; `path` belongs to one interface. */
export interface Ask {
  management(path: string, init?: RequestInit): Promise<Response>
  logging(path: string, init?: RequestInit): Promise<Response>
}

/** A fresh emulator and a way to ask it, for the tests of this package. Each exchange is held against the contract. */
export async function start(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; ask: Ask }> {
  const emulator = await createEmulator(options)
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
  const fetch = witness(emulator, emulator, options.variants ?? {})
  const send = (base: URL, path: string, init?: RequestInit) => fetch(new URL(path, base), { headers, ...init })
  return {
    emulator,
    ask: {
      management: (path, init) => send(emulator.managementUrl, path, init),
      logging: (path, init) => send(emulator.loggingUrl, path, init),
    },
  }
}

/** A body as the operations with JSON take it, with the key. */
export function jsonRequest(emulator: Emulator, body: unknown): RequestInit {
  return {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { AccessKey: emulator.fixtures.credentials.accessKey, 'Content-Type': 'application/json' },
  }
}

/** Makes the platform work by another contract than the one there is. */
export function alter(change: (operation: Operation) => Operation): Fault {
  return {
    name: 'alter',
    text: 'The contract is another.',
    around: (call, operation, next) => next(call, change(operation)),
  }
}

/** For tests that ask more often than the rate limit allows. */
export const unlimited: Fault = { ...alter(({ rateLimit: _rateLimit, ...operation }) => operation), name: harmless }

/** A row with nothing special about it. */
export function createRow(fields: Pick<LogRow, 'timestamp' | 'pullZoneId'> & Partial<LogRow>): LogRow {
  return {
    requestId: '0123456789abcdef0123456789abcdef',
    cacheStatus: 'HIT',
    statusCode: 200,
    bytesSent: 1,
    remoteIp: null,
    countryCode: null,
    userAgent: null,
    referer: null,
    ja4Fingerprint: null,
    asn: null,
    asnOrganization: null,
    edgeLocation: 'DE',
    scheme: 'https',
    host: 'cdn.example',
    path: '/',
    bodyBytesSent: null,
    contentRange: null,
    authorizationHeader: null,
    originShield: false,
    ...fields,
  }
}
