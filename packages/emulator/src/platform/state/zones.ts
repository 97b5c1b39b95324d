import type { Item } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toInteger } from '@cdn/kit/json'
import { blankItem, type Resources, resourceOfPath } from './resources.ts'

interface ZoneSettings {
  name: string
  logging: 'enabled' | 'disabled'
  status: 'active' | 'suspended' | 'disabled'
  /** How the logs show visitors' addresses: whole, only the network (/24 or /64), or only `0.0.0.0` or `::`. */
  addresses: 'whole' | 'last octet removed' | 'dropped'
  /** Whether the logs contain body bytes, content range and authorization header. */
  extendedLogging: boolean
}

/** A pull zone with the settings that affect its logs. */
export interface PullZone extends ZoneSettings {
  readonly id: string
}

/** The pull zones by id. A change of a zone changes its item of the management interface. */
export interface Zones {
  get(id: string): PullZone | undefined
  has(id: string): boolean
  keys(): string[]
  values(): PullZone[]
  /** Adds a zone under this id, or replaces the one that has it. */
  set(id: string, zone: PullZone): void
  delete(id: string): void
}

/** Converts a pull zone of the management interface to the settings of its logs. The supplement states these fields. */
function settingsOf(item: Item): ZoneSettings {
  const status = item['Suspended'] === true ? 'suspended' : item['Enabled'] === false ? 'disabled' : 'active'
  const isAnonymous = item['LoggingIPAnonymizationEnabled'] !== false
  return {
    name: String(item['Name']),
    logging: item['EnableLogging'] === true ? 'enabled' : 'disabled',
    status,
    addresses: isAnonymous ? (item['LogAnonymizationType'] === 1 ? 'dropped' : 'last octet removed') : 'whole',
    extendedLogging: item['EnableExtendedLogging'] === true,
  }
}

function fieldsOf({ name, logging, status, addresses, extendedLogging }: ZoneSettings): Item {
  return {
    Name: name,
    EnableLogging: logging === 'enabled',
    Enabled: status !== 'disabled',
    Suspended: status === 'suspended',
    LoggingIPAnonymizationEnabled: addresses !== 'whole',
    LogAnonymizationType: addresses === 'dropped' ? 1 : 0,
    EnableExtendedLogging: extendedLogging,
  }
}

const path = '/pullzone'
const blankZone = blankItem(assertDefined(resourceOfPath(path)), new Date(0))

/** Creates a view of the collection `/pullzone` of `resources`. */
export function createZones(resources: Resources): Zones {
  const viewOf = (id: string): PullZone => {
    const current = (): PullZone => ({ id, ...settingsOf(resources.item(path, id) ?? {}) })
    return new Proxy(current(), {
      get: (_, name) => Reflect.get(current(), name),
      set(_, name, value) {
        resources.change(path, id, fieldsOf({ ...current(), [name]: value }))
        return true
      },
    })
  }
  const zones: Zones = {
    has: (id) => resources.item(path, id) !== undefined,
    get: (id) => (zones.has(id) ? viewOf(id) : undefined),
    keys: () => (resources.all[path] ?? []).map(({ Id }) => String(Id)),
    values: () => zones.keys().map(viewOf),
    set(id, zone) {
      zones.delete(id)
      resources.add(path, [toItem({ ...zone, id })])
    },
    delete: (id) => resources.remove(path, id),
  }
  return zones
}

/**
 * Creates a pull zone with defaults: active, no logging, addresses without the last octet.
 *
 * @param id decimal int64
 * @param fields fields that differ from the defaults
 */
export function createZone(id: string, fields: Partial<PullZone> = {}): PullZone {
  return {
    id,
    name: `zone-${id}`,
    logging: 'disabled',
    status: 'active',
    addresses: 'last octet removed',
    extendedLogging: false,
    ...fields,
  }
}

/** Converts a pull zone to its item of the management interface (supplement). It has no referrers and belongs to no library. */
export function toItem(zone: PullZone): Item {
  const { id, name } = zone
  const hostname = { Value: `${name}.example`, ForceSSL: false, IsSystemHostname: true, HasCertificate: true }
  return {
    ...blankZone,
    Id: toInteger(id),
    OriginUrl: `https://origin.${name}.example`,
    Hostnames: [{ Id: toInteger(id), ...hostname }],
    AllowedReferrers: [],
    ...fieldsOf(zone),
  }
}
