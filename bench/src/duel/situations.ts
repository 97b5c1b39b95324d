import { readFileSync } from 'node:fs'
import { contracts, type Operation, operations } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'

/** A request that leads to one status of the contract with the fixtures: what a team writes as an example for its API. */
export interface Example {
  readonly operation: Operation
  readonly situation: string
  readonly pathParameters: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly requestBody?: { readonly mediaType: string; readonly payload: unknown }
  /** A status of the contract, such as 404 or 4XX. */
  readonly status: string
}

/** A request that should lead to one status of the contract. */
interface Situation {
  readonly name: string
  /** Status by interface. An operation that does not list the status has no example for this situation. */
  readonly status: Readonly<Partial<Record<Operation['interface'], string>>>
  /** The fixture with the id of the resource; by default an existing resource. */
  readonly id?: keyof EmulatorFixtures
  readonly credential?: 'none' | 'wrong key' | 'bearer' | 'expired'
  readonly broken?: true
}

/** Situations that a single request can provoke with the fixtures. */
const situations: readonly Situation[] = [
  { name: 'success', status: { management: '2', logging: '2' } },
  { name: 'bearer', status: { management: '2', logging: '2' }, credential: 'bearer' },
  { name: 'no-credentials', status: { management: '401', logging: '401' }, credential: 'none' },
  { name: 'wrong-key', status: { management: '401', logging: '403' }, credential: 'wrong key' },
  { name: 'expired-token', status: { management: '401', logging: '403' }, credential: 'expired' },
  { name: 'absent', status: { management: '404' } },
  { name: 'without-logging', status: { logging: '404' }, id: 'unloggedZoneId' },
  { name: 'suspended', status: { logging: '403' }, id: 'suspendedZoneId' },
  { name: 'disabled', status: { logging: '403' }, id: 'disabledZoneId' },
  { name: 'broken-request', status: { management: '400', logging: '400' }, broken: true },
]

/** Returns one example per operation and situation whose status the operation lists. */
export function createExamples(fixtures: EmulatorFixtures): Example[] {
  return operations.flatMap((operation) =>
    situations.flatMap((situation) => exampleOf(operation, situation, fixtures) ?? []),
  )
}

/** The current day, as a log file's path has it. */
export function today(): string {
  const [year, month, day] = new Date().toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}

function exampleOf(operation: Operation, situation: Situation, fixtures: EmulatorFixtures): Example | undefined {
  const prefix = situation.status[operation.interface]
  const status = prefix && operation.responses.find((response) => response.status.startsWith(prefix))?.status
  const headers = credentialsOf(operation, situation, fixtures)
  const breach = situation.broken ? breachOf(operation) : {}
  // A second deletion would find no watermark, and its status is unspecified.
  const again = operation.effect === 'destructive' && situation.name === 'bearer'
  if (!status || !headers || !breach || again) return undefined
  const [, area] = operation.path.split('/')
  const { present, absent } = area === 'videolibrary' ? libraries : area === 'pullzone' ? zones : loggedZones
  const id = situation.name === 'absent' ? absent : (situation.id ?? present)
  const path = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  return {
    operation,
    situation: situation.name,
    pathParameters: Object.fromEntries(path.map((name) => [name, name === 'date' ? today() : String(fixtures[id])])),
    headers,
    query: breach.query ?? {},
    ...(mediaType && { requestBody: { mediaType, payload: breach.body ?? payloadOf(mediaType, fixtures) } }),
    status,
  }
}

const libraries = { present: 'libraryId', absent: 'absentLibraryId' } as const
const zones = { present: 'zoneId', absent: 'absentZoneId' } as const
const loggedZones = { present: 'loggedZoneId', absent: 'absentZoneId' } as const

/** Returns the headers of a situation; undefined if the operation does not accept such a credential. */
function credentialsOf(
  { interface: name, schemes }: Operation,
  { credential }: Situation,
  { credentials: { accessKey, bearer, expired } }: EmulatorFixtures,
): Record<string, string> | undefined {
  const accepted = contracts[name].schemes.filter((scheme) => schemes.includes(scheme.name))
  const header = (kind: 'key' | 'bearer') => accepted.find((scheme) => scheme.kind === kind)?.header
  if (credential === 'none') return {}
  if (credential === 'bearer' || credential === 'expired') {
    const place = header('bearer')
    return place ? { [place]: `Bearer ${credential === 'bearer' ? bearer : expired}` } : undefined
  }
  const place = header('key')
  return place ? { [place]: credential === 'wrong key' ? 'wrong' : accessKey } : undefined
}

/** Returns an invalid request: an empty object as the body, or a limit below its minimum (supplement). */
function breachOf(operation: Operation): { body?: unknown; query?: Record<string, string> } | undefined {
  if (operation.requestBody) return { body: {} }
  const limit = operation.parameters.find(({ name }) => name === 'limit')
  return limit && { query: { limit: '0' } }
}

function payloadOf(mediaType: string, { watermarkFile }: EmulatorFixtures): unknown {
  return mediaType.endsWith('json') ? { Hostname: 'peer.conformance.invalid' } : readFileSync(watermarkFile, 'base64')
}
