import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@cdn/api/contract'
import { toInteger } from '@cdn/kit/json'
import { dayMs, hourMs } from '@cdn/kit/time'
import type { Issuer } from './token-issuer.ts'
import type { Random } from './traffic/random.ts'

/** Credential values: API keys if the name contains "key" in any case, otherwise bearer tokens. */
export interface EmulatorCredentials {
  readonly accessKey: string
  /** A token with every scope of the contract. */
  readonly bearer: string
  readonly expired: string
  readonly noScope: string
  /** One token per scope of the contract, with that scope only. */
  readonly byScope: Readonly<Record<string, string>>
  /** An API key without scopes. */
  readonly noScopeKey: string
  /** One API key per scope of the contract, with that scope only. */
  readonly keyByScope: Readonly<Record<string, string>>
}

/** Ids of a fresh emulator, by role. Each is an int64 in decimal. */
const roles = {
  /** Id of a library with a watermark. */
  libraryId: '1001',
  /** Id that no library has. `distantLibraryId` is lower by one: a server or client that reads ids as doubles confuses the two. */
  absentLibraryId: '9007199254740993',
  /** Id of a library with a watermark; the id is 2^53. */
  distantLibraryId: '9007199254740992',
  /** Id of a zone for changes of allowed referrers. */
  zoneId: '2001',
  absentZoneId: '2999',
  loggedZoneId: '2002',
  /** Id of a second zone with logging. It has other traffic, whole addresses and extended logging. */
  otherLoggedZoneId: '2003',
  unloggedZoneId: '2004',
  suspendedZoneId: '2005',
  disabledZoneId: '2006',
  /** The state in which a run of the conformance suite begins and ends: the fields that it changes. */
  state: {
    libraryId: { HasWatermark: true },
    distantLibraryId: { HasWatermark: true },
    zoneId: { AllowedReferrers: [] },
  },
}

type IdRole = Exclude<keyof typeof roles, 'state'>

/** Roles whose ids are 2^53 and more. */
type LargeRole = 'absentLibraryId' | 'distantLibraryId'

/** Resources and credentials of a fresh emulator, by role. Each id is a text, as in a fixtures file and in URLs. */
export interface EmulatorFixtures extends Readonly<typeof roles> {
  /** The same ids as values for a client of `@cdn/api`: numbers, or bigints from 2^53 on. */
  readonly ids: Readonly<Record<Exclude<IdRole, LargeRole>, number> & Record<LargeRole, bigint>>
  /** Absolute path of a small PNG image. */
  readonly watermarkFile: string
  readonly credentials: EmulatorCredentials
}

/** Every scope of the contract, without duplicates. */
export const allScopes: readonly string[] = [...new Set(operations.flatMap((operation) => operation.scopes))]

const year = 365 * dayMs

/**
 * Creates the credentials of a fresh emulator. Tokens are valid for a year from the start of its clock, but the token `expired`
 * expired an hour before the start.
 *
 * @param random source of the access key
 * @param start start of the clock
 */
export function createCredentials(issuer: Issuer, random: Random, start: Date): EmulatorCredentials {
  const sign = (scopes: readonly string[], ms = year) => issuer.sign(scopes, new Date(start.getTime() + ms))
  const accessKey = random.hex(48)
  return {
    accessKey,
    bearer: sign(allScopes),
    expired: sign(allScopes, -hourMs),
    noScope: sign([]),
    byScope: Object.fromEntries(allScopes.map((scope) => [scope, sign([scope])])),
    noScopeKey: `${accessKey}-none`,
    keyByScope: Object.fromEntries(allScopes.map((scope) => [scope, `${accessKey}-${scope}`])),
  }
}

/** A PNG image of 16 by 16 pixels. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAPElEQVR42mP4//8/AyUYl8QCHJgoAxYQwHgNWEAkxmrAAhIxigELyMSjBlDTAIqjkSoJiSpJmSqZiSQMAEsHXq5oXpveAAAAAElFTkSuQmCC'

let file: string | undefined

/**
 * Creates the fixtures of a fresh emulator. When `watermarkFile` is first read, the image is written to a temporary folder, so that
 * the file exists even if the emulator is part of a bundle. The folder is deleted when the process exits.
 */
export function createFixtures(credentials: EmulatorCredentials): EmulatorFixtures {
  const { state: _, ...texts } = roles
  const ids = Object.fromEntries(Object.entries(texts).map(([role, id]) => [role, toInteger(id)]))
  const fixtures = {
    ...roles,
    get watermarkFile() {
      if (file !== undefined) return file
      const folder = mkdtempSync(join(tmpdir(), 'cdn-emulator-'))
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
      file = join(folder, 'watermark.png')
      writeFileSync(file, Buffer.from(image, 'base64'))
      return file
    },
    credentials,
  }
  // `ids` is not enumerable, so that a fixtures file made from this object has each id only once.
  return Object.defineProperty(fixtures, 'ids', { value: ids }) as EmulatorFixtures
}
