import { isIP, isIPv4, isIPv6 } from 'node:net'
import { createRedactor, redacted } from '@cdn/api/secrets'
import type { PrivacyConfig } from '../config/config.ts'
import { entryColumns, type ParsedRow } from './columns.ts'

export interface Privacy {
  /** Applies the rules for the contract's fields to a parsed row in place. */
  editKnown(row: ParsedRow): void
  /** Applies the rules for all other fields to a parsed row in place. @throws RangeError if it is nested too deeply */
  editOthers(row: ParsedRow): void
  /** Hides credentials and addresses in the text of a row that no sink can hold, as configured. */
  scrub(text: string): string
}

const urls = ['path', 'url', 'referer']
const known = new Set(entryColumns.map(({ name }) => name))

export function createPrivacy(config: PrivacyConfig): Privacy {
  const { authorizationHeader, queryTokens, addresses, tokenNames, unknownFields } = config
  const redactor = createRedactor({ parameters: tokenNames })
  const shorten = { keep: String, truncate: truncateAddress, drop: () => null }[addresses]
  const hidesSecrets = authorizationHeader === 'drop' || queryTokens === 'mask'
  const rules: [string, (text: string) => string | null][] = []
  if (authorizationHeader === 'drop') rules.push(['authorizationHeader', () => null])
  if (queryTokens === 'mask') for (const name of urls) rules.push([name, redactor.url])
  if (addresses !== 'keep') rules.push(['remoteIp', shorten])

  const withoutAddresses = (text: string) =>
    addresses === 'keep' ? text : text.replace(address, (each) => (isIP(each) ? (shorten(each) ?? redacted) : each))
  const inTexts = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutAddresses(value)
    if (Array.isArray(value)) return value.map(inTexts)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inTexts(each)]))
  }
  return {
    editKnown(row) {
      const fields = row as Record<string, unknown> // the row belongs to the exporter
      for (const [name, rule] of rules) {
        const value = fields[name]
        if (typeof value === 'string') fields[name] = rule(value)
      }
    },
    editOthers(row) {
      const fields = row as Record<string, unknown>
      for (const [name, sent] of Object.entries(fields)) {
        if (known.has(name)) continue
        delete fields[name]
        if (unknownFields === 'drop') continue
        const given = { [name]: inTexts(sent) }
        const [shownName = name, value] = Object.entries(hidesSecrets ? redactor.value(given) : given)[0] ?? []
        // A field may be named `__proto__`.
        Object.defineProperty(fields, shownName, { value, writable: true, enumerable: true, configurable: true })
      }
    },
    scrub: (text) => withoutAddresses(hidesSecrets ? redactor.text(text) : text),
  }
}

// A text that may be an address; `isIP` decides. A match begins only where a word begins, and its parts are separated by dots or colons.
const address = /(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*(?::[\da-f]*){2,}(?:\.\d{1,3}){0,3})(?!\w)/gi

/**
 * Shortens an IP address to its network, as the platform does: /24, or /64 for IPv6 (supplement). An IPv4 address within an IPv6
 * address (`::ffff:192.0.2.1`, or `64:ff9b::192.0.2.1` of NAT64) is shortened as IPv4. Returns null for other texts, because then
 * no part of the text is known to be safe.
 */
function truncateAddress(address: string): string | null {
  if (isIPv4(address)) return address.replace(/\d+$/, '0')
  if (!isIPv6(address) || address.includes('%')) return null
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = groups.map((side) => (side === '' ? [] : side.split(':')))
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  if (['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'].includes(all.slice(0, 6).join(':'))) {
    const [high, low] = all.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number] // there are eight groups
    return `${high >> 8}.${high & 255}.${low >> 8}.0`
  }
  return new URL(`http://[${all.slice(0, 4).join(':')}::]`).hostname.slice(1, -1)
}
