import { isIPv4, isIPv6 } from 'node:net'
import type { PullZone } from '../state/zones.ts'

/**
 * Anonymizes an address as the zone is configured (supplement). The result is the whole address, the address without its last
 * octet (/24 for IPv4, /64 for IPv6), or `0.0.0.0` or `::`.
 *
 * @param address an IPv4 or IPv6 address; any other text is returned unchanged
 */
export function showAddress(address: string, shown: PullZone['addresses']): string {
  if (shown === 'whole') return address
  if (isIPv4(address)) return shown === 'dropped' ? '0.0.0.0' : address.replace(/\d+$/, '0')
  if (isIPv6(address)) return shown === 'dropped' ? '::' : networkOf(address)
  return address
}

/** Returns the first 64 bits of an IPv6 address, in the short form. */
function networkOf(address: string): string {
  const [head, tail] = address.split('::')
  const before = head ? head.split(':') : []
  const after = tail ? tail.split(':') : []
  // An embedded IPv4 address takes the place of two groups.
  const groupsAfter = after.length + (after.at(-1)?.includes('.') ? 1 : 0)
  const groups =
    tail === undefined ? before : [...before, ...Array(8 - before.length - groupsAfter).fill('0'), ...after]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::`.replace(/(^0)?(:0)*::$/, '::')
}
