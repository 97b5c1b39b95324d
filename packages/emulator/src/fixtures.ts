import { fileURLToPath } from 'node:url'
import { operations } from '@cdn/api/contract'
import type { Issuer } from './issuer.ts'
import type { Random } from './traffic/random.ts'

/** Credentials by value. The last four are bearer tokens. */
export interface Credentials {
  readonly accessKey: string
  /** Has every scope of the contract. */
  readonly bearer: string
  readonly expired: string
  readonly noScope: string
  /** A token with one scope alone, for each scope of the contract. */
  readonly byScope: Readonly<Record<string, string>>
}

/** What a fresh emulator holds, by role. Ids are decimal int64. */
export interface Fixtures {
  /** Has a watermark. */
  readonly libraryId: string
  /** Beyond 2^53, next to the id of a library that exists. */
  readonly absentLibraryId: string
  /** For changes of allowed referrers. */
  readonly zoneId: string
  readonly absentZoneId: string
  readonly loggedZoneId: string
  /** Logs too, with other traffic, whole addresses and extended logging. */
  readonly otherLoggedZoneId: string
  readonly unloggedZoneId: string
  readonly suspendedZoneId: string
  readonly disabledZoneId: string
  /** Absolute path of a small PNG image. */
  readonly watermarkFile: string
  readonly credentials: Credentials
}

/** Ids that a fresh emulator knows by role, and where the watermark's image lies. */
export const roles = {
  libraryId: '1001',
  // One less exists: a server or a client that reads ids as doubles takes the one for the other.
  absentLibraryId: '9007199254740993',
  zoneId: '2001',
  absentZoneId: '2999',
  loggedZoneId: '2002',
  otherLoggedZoneId: '2003',
  unloggedZoneId: '2004',
  suspendedZoneId: '2005',
  disabledZoneId: '2006',
  watermarkFile: fileURLToPath(new URL('../fixtures/watermark.png', import.meta.url)),
} as const

/** A library that exists beyond 2^53. */
export const distantLibraryId = '9007199254740992'

/** Every scope that the contract names, once. */
export const allScopes: readonly string[] = [...new Set(operations.flatMap((operation) => operation.scopes))]

const year = 365 * 24 * 3_600_000
const hour = 3_600_000

/**
 * Credentials for a fresh emulator. The tokens last a year by its clock; `expired` ended an hour before its start.
 *
 * @param random makes the key
 * @param start the clock's start
 */
export async function createCredentials(issuer: Issuer, random: Random, start: Date): Promise<Credentials> {
  const after = (ms: number) => new Date(start.getTime() + ms)
  const [bearer, expired, noScope, ...single] = await Promise.all([
    issuer.sign(allScopes, after(year)),
    issuer.sign(allScopes, after(-hour)),
    issuer.sign([], after(year)),
    ...allScopes.map((scope) => issuer.sign([scope], after(year))),
  ])
  const byScope = Object.fromEntries(allScopes.map((scope, index) => [scope, single[index] ?? '']))
  return { accessKey: random.hex(48), bearer, expired, noScope, byScope }
}
