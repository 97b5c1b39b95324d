import { operations } from '@cdn/api/contract'
import { allScopes, distantLibraryId, type Fixtures } from '../fixtures.ts'
import { createTraffic, type TrafficPlan } from '../traffic/traffic.ts'
import type { Variants } from '../variants.ts'
import type { LogRow } from './log-row.ts'
import { createLogStore } from './log-store.ts'
import { createZone, type State, type Zone } from './state.ts'

/** Rows spread over the retention, by zone; what is planted comes on top. */
const trafficRows = 300

const retention = operations.find((operation) => operation.retentionMs)?.retentionMs ?? 0

/**
 * What a fresh emulator holds: the fixtures' libraries and zones, one key with every scope, and the traffic of the zones
 * that log.
 *
 * @param until time that the traffic reaches up to, in milliseconds
 */
export function createState(fixtures: Fixtures, seed: number, until: number, variants: Variants): State {
  const zones: Zone[] = [
    createZone(fixtures.zoneId),
    createZone(fixtures.loggedZoneId, { logging: 'enabled' }),
    createZone(fixtures.otherLoggedZoneId, { logging: 'enabled', addresses: 'whole', extendedLogging: true }),
    createZone(fixtures.unloggedZoneId),
    createZone(fixtures.suspendedZoneId, { logging: 'enabled', status: 'suspended' }),
    createZone(fixtures.disabledZoneId, { logging: 'enabled', status: 'disabled' }),
  ]
  const logs = createLogStore()
  for (const { id: zoneId, logging, extendedLogging } of zones) {
    if (logging === 'disabled') continue
    logs.append(
      trafficOf({ seed, zoneId, until, retention, rows: trafficRows, extendedLogging, variants: pick(variants) }),
    )
  }
  const libraries = [fixtures.libraryId, distantLibraryId].map((id) => ({
    id,
    name: `library-${id}`,
    hasWatermark: true,
  }))
  return {
    libraries: new Map(libraries.map((library) => [library.id, library])),
    zones: new Map(zones.map((zone) => [zone.id, zone])),
    keys: new Map([[fixtures.credentials.accessKey, { scopes: allScopes }]]),
    logs,
  }
}

function pick({ storedPrecision, requestIds }: Variants): TrafficPlan['variants'] {
  return { storedPrecision, requestIds }
}

/** Tests make an emulator each; the traffic is the same for all that start at the same time. */
const made = new Map<string, readonly LogRow[]>()

function trafficOf(plan: TrafficPlan): readonly LogRow[] {
  const key = JSON.stringify(plan)
  const rows = made.get(key) ?? createTraffic(plan)
  if (made.size > 32) made.clear()
  made.set(key, rows)
  return rows
}
