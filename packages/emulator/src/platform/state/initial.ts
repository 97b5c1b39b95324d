import { toInteger } from '@cdn/kit/json'
import type { Variants } from '../../variants/variants.ts'
import type { Clock } from '../clock.ts'
import { allScopes, type EmulatorCredentials, type EmulatorFixtures } from '../fixtures.ts'
import { platformOperations } from '../operations.ts'
import { createInitialRows, type InitialRowsPlan } from '../traffic/initial-rows.ts'
import { readTrafficOptions, type TrafficPlan } from '../traffic/options.ts'
import { createTraffic } from '../traffic/traffic.ts'
import type { StoredLogRow } from './log-row.ts'
import { createLogStore } from './log-store.ts'
import { createResources } from './resources.ts'
import type { State } from './state.ts'
import { createZone, createZones, type PullZone, toItem } from './zones.ts'

/** Number of rows per zone that are spread over the retention. The rows at edge cases come in addition. */
const spreadRows = 300

const retention = retentionOfContract()

function retentionOfContract(): number {
  const retentionMs = platformOperations.find((operation) => operation.retentionMs)?.retentionMs
  if (retentionMs === undefined) throw new Error('Invalid contract: expected an operation with a retention')
  return retentionMs
}

/**
 * Creates the state of a fresh emulator: the libraries and zones of the fixtures, one key with every scope, and the traffic of
 * zones with logging.
 *
 * @param clock the initial rows end at the start of the clock; continuous traffic follows the clock
 */
export function createState(fixtures: EmulatorFixtures, seed: number, clock: Clock, variants: Variants): State {
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
    for (const zoneId of logged)
      logs.append(initialRows({ seed, zoneId, until, retention, rows: spreadRows, variants: pick(variants) }))
  }
  appendInitialRows()
  const libraries = [fixtures.libraryId, fixtures.distantLibraryId].map((id) => ({
    Id: toInteger(id),
    Name: `library-${id}`,
    VideoCount: 0,
    StorageUsage: 0,
    TrafficUsage: 0,
    DateCreated: new Date(until).toISOString(),
    PullZoneId: toInteger(fixtures.zoneId),
    HasWatermark: true,
  }))
  const [owned, ...others] = initialZones.map(toItem)
  const ofLibrary = { ...owned, VideoLibraryId: toInteger(fixtures.libraryId) }
  const resources = createResources({ '/pullzone': [ofLibrary, ...others], '/videolibrary': libraries }, clock)
  const zones = createZones(resources)
  const plans = new Map<string, TrafficPlan>()
  const setTraffic = (id: string, plan: TrafficPlan) => logs.setTraffic(id, createTraffic(seed, id, plan, variants))
  return {
    resources,
    zones,
    keys: keysOf(fixtures.credentials),
    logs,
    addTraffic(options) {
      const { zoneIds, plan } = readTrafficOptions(options)
      const added = zoneIds.filter((id) => !zones.has(id)).map((id) => createZone(id, { logging: 'enabled' }))
      resources.add('/pullzone', added.map(toItem))
      for (const id of zoneIds) {
        plans.set(id, plan)
        setTraffic(id, plan)
      }
      return zoneIds
    },
    renewTraffic() {
      for (const id of logged) logs.clear(id)
      appendInitialRows()
      for (const [id, plan] of plans) setTraffic(id, plan)
    },
  }
}

function pick({ storedPrecision, requestIds, loneSurrogates }: Variants): InitialRowsPlan['variants'] {
  return { storedPrecision, requestIds, loneSurrogates }
}

/** Initial rows by plan. Emulators with the same plan share them, because most tests create an emulator. */
const rowsByPlan = new Map<string, readonly StoredLogRow[]>()

function initialRows(plan: InitialRowsPlan): readonly StoredLogRow[] {
  const key = JSON.stringify(plan)
  const rows = rowsByPlan.get(key) ?? createInitialRows(plan)
  if (rowsByPlan.size > 32) rowsByPlan.clear()
  rowsByPlan.set(key, rows)
  return rows
}

function keysOf({ accessKey, noScopeKey, keyByScope }: EmulatorCredentials): State['keys'] {
  const single = Object.entries(keyByScope).map(([scope, key]) => [key, { scopes: [scope] }] as const)
  return new Map([[accessKey, { scopes: allScopes }], [noScopeKey, { scopes: [] }], ...single])
}
