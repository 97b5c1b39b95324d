import { readFileSync } from 'node:fs'
import { contracts, type Operation, operations } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'

/** The part of an Arazzo 1.0 description that `createArazzo` writes. */
export interface Arazzo {
  readonly arazzo: '1.0.1'
  readonly info: { readonly title: string; readonly version: string }
  readonly sourceDescriptions: readonly { readonly name: string; readonly type: 'openapi'; readonly url: string }[]
  readonly workflows: readonly { readonly workflowId: string; readonly steps: readonly Step[] }[]
}

interface Step {
  readonly stepId: string
  readonly operationPath: string
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly value: string }[]
  readonly requestBody?: { readonly contentType: string; readonly payload: unknown }
  readonly successCriteria: readonly { readonly condition: string }[]
}

/** A request that should lead to one status of the contract. */
interface Situation {
  readonly name: string
  /** Status by interface. An operation that does not list the status has no step for this situation. */
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

/**
 * Creates one workflow per operation, with one step per situation whose status the operation lists.
 *
 * @param layer layer of the contract that lists the statuses
 * @param day the day of a log file, as `MM-DD-YY`
 */
export function createArazzo(layer: 'document' | 'full', fixtures: EmulatorFixtures, day: string): Arazzo {
  const included = operations.filter(({ documented }) => layer === 'full' || documented)
  return {
    arazzo: '1.0.1',
    info: { title: 'What the fixtures can provoke', version: '1.0.0' },
    sourceDescriptions: Object.keys(contracts).map((name) => ({ name, type: 'openapi', url: `./${name}.json` })),
    workflows: included.map((operation) => ({
      workflowId: operation.name,
      steps: situations.flatMap((situation) => stepOf(operation, situation, { layer, fixtures, day })),
    })),
  }
}

interface Setup {
  readonly layer: 'document' | 'full'
  readonly fixtures: EmulatorFixtures
  readonly day: string
}

function stepOf(operation: Operation, situation: Situation, { layer, fixtures, day }: Setup): Step[] {
  const prefix = situation.status[operation.interface]
  const shape = layer === 'full' ? operation : operation.documented
  const status = prefix && shape?.responses.find((response) => response.status.startsWith(prefix))?.status
  const headers = credentialsOf(operation, situation, fixtures)
  const breach = situation.broken ? breachOf(operation) : {}
  // A second deletion would find no watermark, and its status is unspecified.
  const again = operation.effect === 'destructive' && situation.name === 'bearer'
  if (!status || !headers || !breach || again) return []
  const [, area] = operation.path.split('/')
  const { present, absent } = area === 'videolibrary' ? libraries : area === 'pullzone' ? zones : loggedZones
  const id = situation.name === 'absent' ? absent : (situation.id ?? present)
  const path = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  return [
    {
      stepId: situation.name,
      operationPath: `{$sourceDescriptions.${operation.interface}.url}#/paths/${operation.path.replaceAll('/', '~1')}/${operation.method}`,
      parameters: [
        ...path.map((name) => ({ in: 'path', name, value: name === 'date' ? day : String(fixtures[id]) })),
        ...Object.entries(headers).map(([name, value]) => ({ in: 'header', name, value })),
        ...Object.entries(breach.query ?? {}).map(([name, value]) => ({ in: 'query', name, value })),
      ],
      ...(mediaType && {
        requestBody: { contentType: mediaType, payload: breach.body ?? payloadOf(mediaType, fixtures) },
      }),
      successCriteria: [{ condition: conditionOf(status) }],
    },
  ]
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

function conditionOf(status: string): string {
  return /^\d+$/.test(status)
    ? `$statusCode == ${status}`
    : `$statusCode >= ${status[0]}00 && $statusCode < ${status[0]}99`
}
