import { toInteger } from '@cdn/kit/json'
import type { Variants } from '../variants.ts'
import type { Library, PullZone } from './state.ts'

/** Converts a pull zone to the JSON of the management interface (supplement). Settings that are not emulated are constant. */
export function showPullZone(zone: PullZone, libraries: Iterable<Library>, { emptyReferrers }: Variants): object {
  const library = [...libraries].find(({ pullZoneId }) => pullZoneId === zone.id)
  return {
    Id: toInteger(zone.id),
    Name: zone.name,
    OriginUrl: `https://origin.${zone.name}.example`,
    Enabled: zone.status !== 'disabled',
    Suspended: zone.status === 'suspended',
    Hostnames: [
      {
        Id: toInteger(zone.id),
        Value: `${zone.name}.example`,
        ForceSSL: false,
        IsSystemHostname: true,
        HasCertificate: true,
      },
    ],
    AllowedReferrers: zone.allowedReferrers.length === 0 && emptyReferrers === 'null' ? null : zone.allowedReferrers,
    MonthlyBandwidthUsed: 0,
    EnableLogging: zone.logging === 'enabled',
    LoggingIPAnonymizationEnabled: zone.addresses !== 'whole',
    VideoLibraryId: library ? toInteger(library.id) : 0,
  }
}

/** Converts a video library to the JSON of the management interface (supplement). The library has no videos. */
export function showVideoLibrary(library: Library): object {
  return {
    Id: toInteger(library.id),
    Name: library.name,
    VideoCount: 0,
    StorageUsage: 0,
    TrafficUsage: 0,
    DateCreated: library.dateCreated.toISOString(),
    PullZoneId: toInteger(library.pullZoneId),
    HasWatermark: library.hasWatermark,
  }
}
