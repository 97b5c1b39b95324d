import type { Item } from '@cdn/api/contract'
import { toInteger } from '@cdn/kit/json'
import type { Resources } from './resources.ts'

/** A pull zone, in the settings that decide about its logs. */
export interface PullZone {
  readonly id: string
  readonly name: string
  logging: 'enabled' | 'disabled'
  status: 'active' | 'suspended' | 'disabled'
  /** How the logs show visitors' addresses: whole, without the last octet (/24, /64), or not at all. */
  addresses: 'whole' | 'last octet removed' | 'dropped'
  /** Whether the logs contain body bytes, content range and authorization header. */
  extendedLogging: boolean
}

/** The pull zones by id. A change of a zone changes its item of the management interface. */
export interface Zones {
  get(id: string): PullZone | undefined
  has(id: string): boolean
  keys(): string[]
  values(): PullZone[]
  /** Adds a zone. */
  set(id: string, zone: PullZone): void
  delete(id: string): void
}

const path = '/pullzone'

/** Creates the view of the pull zones of an emulator. */
export function createZones(resources: Resources): Zones {
  const zones: Zones = {
    has: (id) => resources.item(path, id) !== undefined,
    get: (id) => (zones.has(id) ? viewOf(id, resources) : undefined),
    keys: () => (resources.all[path] ?? []).map(({ Id }) => String(Id)),
    values: () => zones.keys().map((id) => viewOf(id, resources)),
    set: (_id, zone) => resources.add(path, [toItem(zone)]),
    delete: (id) => resources.remove(path, id),
  }
  return zones
}

function viewOf(id: string, resources: Resources): PullZone {
  const read = () => toPullZone(resources.item(path, id) ?? {})
  const write = (fields: Item) => resources.change(path, id, fields)
  return {
    ...read(),
    get logging() {
      return read().logging
    },
    set logging(logging) {
      write(loggingFields(logging))
    },
    get status() {
      return read().status
    },
    set status(status) {
      write(statusFields(status))
    },
    get addresses() {
      return read().addresses
    },
    set addresses(addresses) {
      write(addressFields(addresses))
    },
    get extendedLogging() {
      return read().extendedLogging
    },
    set extendedLogging(isExtended) {
      write({ EnableExtendedLogging: isExtended })
    },
  }
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

const loggingFields = (logging: PullZone['logging']): Item => ({ EnableLogging: logging === 'enabled' })

const statusFields = (status: PullZone['status']): Item => ({
  Enabled: status !== 'disabled',
  Suspended: status === 'suspended',
})

const addressFields = (addresses: PullZone['addresses']): Item => ({
  LoggingIPAnonymizationEnabled: addresses !== 'whole',
  LogAnonymizationType: addresses === 'dropped' ? 1 : 0,
})

/** Converts a pull zone to its item of the management interface (supplement). It has no referrers and belongs to no library. */
export function toItem({ id, name, logging, status, addresses, extendedLogging }: PullZone): Item {
  const hostname = { Value: `${name}.example`, ForceSSL: false, IsSystemHostname: true, HasCertificate: true }
  return {
    Id: toInteger(id),
    Name: name,
    OriginUrl: `https://origin.${name}.example`,
    ...statusFields(status),
    Hostnames: [{ Id: toInteger(id), ...hostname }],
    AllowedReferrers: [],
    MonthlyBandwidthUsed: 0,
    ...loggingFields(logging),
    ...addressFields(addresses),
    EnableExtendedLogging: extendedLogging,
    VideoLibraryId: 0,
  }
}

function toPullZone(item: Item): PullZone {
  const isAnonymous = item['LoggingIPAnonymizationEnabled'] !== false
  return {
    id: String(item['Id']),
    name: String(item['Name']),
    logging: item['EnableLogging'] === true ? 'enabled' : 'disabled',
    status: item['Suspended'] === true ? 'suspended' : item['Enabled'] === false ? 'disabled' : 'active',
    addresses: !isAnonymous ? 'whole' : item['LogAnonymizationType'] === 1 ? 'dropped' : 'last octet removed',
    extendedLogging: item['EnableExtendedLogging'] === true,
  }
}
