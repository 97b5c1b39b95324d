import { operations } from '@cdn/api/contract'
import type { Clock } from '../clock.ts'
import { allScopes, distantLibraryId, type Fixtures } from '../fixtures.ts'
import { readTrafficOptions } from '../traffic/options.ts'
import { type PlantedPlan, plantRows } from '../traffic/planted.ts'
import { createTraffic } from '../traffic/traffic.ts'
import type { Variants } from '../variants.ts'
import type { LogRow } from './log-row.ts'
import { createLogStore } from './log-store.ts'
import { createZone, type State, type Zone } from './state.ts'

/** Rows spread over the retention, by zone; what is planted comes on top. */
const plantedRows = 300

const retention = operations.find((operation) => operation.retentionMs)?.retentionMs ?? 0

/**
 * What a fresh emulator holds: the fixtures' libraries and zones, one key with every scope, and the traffic of the zones
 * that log.
 *
 * @param clock what is planted reaches up to its start, other traffic as far as it has moved
 */
export function createState(fixtures: Fixtures, seed: number, clock: Clock, variants: Variants): State {
  const now = () => clock.now().getTime()
  const zones: Zone[] = [
    createZone(fixtures.zoneId),
    createZone(fixtures.loggedZoneId, { logging: 'enabled' }),
    createZone(fixtures.otherLoggedZoneId, { logging: 'enabled', addresses: 'whole', extendedLogging: true }),
    createZone(fixtures.unloggedZoneId),
    createZone(fixtures.suspendedZoneId, { logging: 'enabled', status: 'suspended' }),
    createZone(fixtures.disabledZoneId, { logging: 'enabled', status: 'disabled' }),
  ]
  const logs = createLogStore(now, retention)
  const until = now()
  for (const { id: zoneId, logging } of zones) {
    if (logging === 'enabled')
      logs.append(planted({ seed, zoneId, until, retention, rows: plantedRows, variants: pick(variants) }))
  }
  const libraries = [fixtures.libraryId, distantLibraryId].map((id) => ({
    id,
    name: `library-${id}`,
    hasWatermark: true,
  }))
  const zonesById = new Map(zones.map((zone) => [zone.id, zone]))
  return {
    libraries: new Map(libraries.map((library) => [library.id, library])),
    zones: zonesById,
    keys: new Map([[fixtures.credentials.accessKey, { scopes: allScopes }]]),
    logs,
    addTraffic(options) {
      const { zoneIds, plan } = readTrafficOptions(options)
      for (const id of zoneIds) {
        if (!zonesById.has(id)) zonesById.set(id, createZone(id, { logging: 'enabled' }))
        logs.setTraffic(id, createTraffic(seed, id, plan, variants))
      }
      return zoneIds
    },
  }
}

function pick({ storedPrecision, requestIds }: Variants): PlantedPlan['variants'] {
  return { storedPrecision, requestIds }
}

/** Tests make an emulator each; what is planted is the same for all that start at the same time. */
const made = new Map<string, readonly LogRow[]>()

function planted(plan: PlantedPlan): readonly LogRow[] {
  const key = JSON.stringify(plan)
  const rows = made.get(key) ?? plantRows(plan)
  if (made.size > 32) made.clear()
  made.set(key, rows)
  return rows
}
