import { operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toInteger } from '@cdn/kit/json'
import type { Variants } from '../../variants/variants.ts'
import type { EmulatorClock } from '../clock.ts'
import { allScopes, type EmulatorCredentials, type EmulatorFixtures } from '../fixtures.ts'
import { createInitialRows } from '../traffic/initial-rows.ts'
import { readTrafficOptions, type TrafficOptions } from '../traffic/options.ts'
import { createTraffic } from '../traffic/traffic.ts'
import { createLogStore, type LogStore } from './log-store.ts'
import { blankItem, createResources, type Resources, resourceOfPath } from './resources.ts'
import { createZone, createZones, type PullZone, toItem, type Zones } from './zones.ts'

export interface AccessKey {
  readonly scopes: readonly string[]
}

export interface State {
  readonly resources: Resources
  /** Pull zones by id (int64 in decimal). */
  readonly zones: Zones
  /** API keys by their value. */
  readonly keys: Map<string, AccessKey>
  readonly logs: LogStore
  /**
   * Adds continuous traffic to zones, for past and future. It replaces earlier continuous traffic of these zones.
   *
   * @returns the ids of the zones
   * @throws RangeError in one sentence if an option is invalid
   */
  addTraffic(options: TrafficOptions): readonly string[]
  /**
   * Regenerates the rows of a fresh emulator after a change of variants. Rows that were appended to its zones with logging are lost.
   * Continuous traffic is generated when it is read, so it has the new variants without this call.
   */
  renewInitialRows(): void
}

const retention = assertDefined(operations.find((operation) => operation.retentionMs)?.retentionMs)

/**
 * Creates the state of a fresh emulator: the libraries, zones and API keys of the fixtures, and rows of the zones with logging.
 *
 * @param clock the initial rows end shortly before the start of the clock; continuous traffic follows the clock
 */
export function createState(fixtures: EmulatorFixtures, seed: number, clock: EmulatorClock, variants: Variants): State {
  const now = () => clock.now().getTime()
  const initialZones: PullZone[] = [
    createZone(fixtures.zoneId),
    createZone(fixtures.loggedZoneId, { logging: 'enabled' }),
    createZone(fixtures.otherLoggedZoneId, { logging: 'enabled', addresses: 'whole', extendedLogging: true }),
    createZone(fixtures.unloggedZoneId),
    createZone(fixtures.suspendedZoneId, { logging: 'enabled', status: 'suspended' }),
    createZone(fixtures.disabledZoneId, { logging: 'enabled', status: 'disabled' }),
  ]
  const logs = createLogStore(now, retention)
  const until = now()
  const logged = initialZones.filter(({ logging }) => logging === 'enabled').map(({ id }) => id)
  const appendInitialRows = () => {
    for (const zoneId of logged) logs.append(createInitialRows({ seed, zoneId, until, retention, variants }))
  }
  appendInitialRows()
  const libraries = [fixtures.libraryId, fixtures.distantLibraryId].map((id) => ({
    ...blankItem(assertDefined(resourceOfPath('/videolibrary')), new Date(until)),
    Id: toInteger(id),
    Name: `library-${id}`,
    PullZoneId: toInteger(fixtures.zoneId),
    HasWatermark: true,
  }))
  const [owned, ...others] = initialZones.map(toItem)
  const ofLibrary = { ...owned, VideoLibraryId: toInteger(fixtures.libraryId) }
  const resources = createResources({ '/pullzone': [ofLibrary, ...others], '/videolibrary': libraries }, clock)
  const zones = createZones(resources)
  return {
    resources,
    zones,
    keys: keysOf(fixtures.credentials),
    logs,
    addTraffic(options) {
      const { zoneIds, plan } = readTrafficOptions(options)
      const added = zoneIds.filter((id) => !zones.has(id)).map((id) => createZone(id, { logging: 'enabled' }))
      resources.add('/pullzone', added.map(toItem))
      for (const id of zoneIds) logs.setTraffic(id, createTraffic(seed, id, plan, variants))
      return zoneIds
    },
    renewInitialRows() {
      for (const id of logged) logs.clear(id)
      appendInitialRows()
    },
  }
}

function keysOf({ accessKey, noScopeKey, keyByScope }: EmulatorCredentials): State['keys'] {
  const single = Object.entries(keyByScope).map(([scope, key]) => [key, { scopes: [scope] }] as const)
  return new Map([[accessKey, { scopes: allScopes }], [noScopeKey, { scopes: [] }], ...single])
}
