import type { Item } from '@cdn/api/contract'
import { toInteger } from '@cdn/kit/json'
import type { Resources } from './resources.ts'

/** The name of a pull zone, and the settings that decide about its logs. */
interface ZoneSettings {
  name: string
  logging: 'enabled' | 'disabled'
  status: 'active' | 'suspended' | 'disabled'
  /** How the logs show visitors' addresses: whole, without the last octet (/24, /64), or not at all. */
  addresses: 'whole' | 'last octet removed' | 'dropped'
  /** Whether the logs contain body bytes, content range and authorization header. */
  extendedLogging: boolean
}

/** A pull zone, as the logs see it. */
export interface PullZone extends ZoneSettings {
  readonly id: string
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

/** How an item of the management interface holds each setting (supplement). */
const settings: {
  readonly [Name in keyof ZoneSettings]: readonly [
    read: (item: Item) => ZoneSettings[Name],
    write: (value: ZoneSettings[Name]) => Item,
  ]
} = {
  name: [({ Name }) => String(Name), (name) => ({ Name: name })],
  logging: [
    ({ EnableLogging: isEnabled }) => (isEnabled === true ? 'enabled' : 'disabled'),
    (logging) => ({ EnableLogging: logging === 'enabled' }),
  ],
  status: [
    ({ Enabled, Suspended }) => (Suspended === true ? 'suspended' : Enabled === false ? 'disabled' : 'active'),
    (status) => ({ Enabled: status !== 'disabled', Suspended: status === 'suspended' }),
  ],
  addresses: [
    ({ LoggingIPAnonymizationEnabled: isAnonymous, LogAnonymizationType: type }) =>
      isAnonymous === false ? 'whole' : type === 1 ? 'dropped' : 'last octet removed',
    (addresses) => ({
      LoggingIPAnonymizationEnabled: addresses !== 'whole',
      LogAnonymizationType: addresses === 'dropped' ? 1 : 0,
    }),
  ],
  extendedLogging: [
    ({ EnableExtendedLogging: isExtended }) => isExtended === true,
    (isExtended) => ({ EnableExtendedLogging: isExtended }),
  ],
}
const names = Object.keys(settings) as (keyof ZoneSettings)[] // the keys of the table

const path = '/pullzone'

/** Creates the view of the pull zones of an emulator. */
export function createZones(resources: Resources): Zones {
  /** The setters and getters of a zone read and change its item. */
  const viewOf = (id: string): PullZone => {
    const item = () => resources.item(path, id) ?? {}
    const accessors = names.map((name) => {
      const [read, write] = settings[name] as readonly [(item: Item) => unknown, (value: unknown) => Item]
      const set = (value: unknown) => resources.change(path, id, write(value))
      return [name, { enumerable: true, get: () => read(item()), set }]
    })
    return Object.defineProperties({ id } as PullZone, Object.fromEntries(accessors))
  }
  const zones: Zones = {
    has: (id) => resources.item(path, id) !== undefined,
    get: (id) => (zones.has(id) ? viewOf(id) : undefined),
    keys: () => (resources.all[path] ?? []).map(({ Id }) => String(Id)),
    values: () => zones.keys().map(viewOf),
    set: (_id, zone) => resources.add(path, [toItem(zone)]),
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
export function toItem({ id, name, logging, status, addresses, extendedLogging }: PullZone): Item {
  const hostname = { Value: `${name}.example`, ForceSSL: false, IsSystemHostname: true, HasCertificate: true }
  return {
    Id: toInteger(id),
    Name: name,
    OriginUrl: `https://origin.${name}.example`,
    Hostnames: [{ Id: toInteger(id), ...hostname }],
    AllowedReferrers: [],
    MonthlyBandwidthUsed: 0,
    VideoLibraryId: 0,
    ...settings.logging[1](logging),
    ...settings.status[1](status),
    ...settings.addresses[1](addresses),
    ...settings.extendedLogging[1](extendedLogging),
  }
}
