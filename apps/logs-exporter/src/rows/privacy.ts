import { isIPv4, isIPv6 } from 'node:net'
import { redactionFor } from '@cdn/api/logs'
import type { PrivacyConfig } from '../config/config.ts'
import { entryColumns, type ParsedRow } from './columns.ts'
import { createTokenMask, isSecretField } from './secrets.ts'

/** Privacy rules for rows. */
export interface Privacy {
  /** Applies the rules for the contract's fields to a parsed row in place. */
  editKnown(row: ParsedRow): void
  /** Applies the rules for all other fields to a parsed row in place. @throws RangeError if it is nested too deeply */
  editOthers(row: ParsedRow): void
  /** Masks credentials and addresses in the text of a row that no sink can hold, as configured. */
  scrub(text: string): string
}

const urls = ['path', 'url', 'referer']
const known = new Set(entryColumns.map(({ name }) => name))

/** Creates the rules from the configuration. */
export function createPrivacy({ authorizationHeader, queryTokens, addresses, tokenNames }: PrivacyConfig): Privacy {
  const mask = createTokenMask(tokenNames)
  const rules: [string, (text: string) => string | null][] = []
  if (authorizationHeader === 'drop') rules.push(['authorizationHeader', () => null])
  if (queryTokens === 'mask') for (const name of urls) rules.push([name, mask.inUrl])
  if (addresses === 'truncate') rules.push(['remoteIp', truncateAddress])
  if (addresses === 'drop') rules.push(['remoteIp', () => null])
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
      if (authorizationHeader === 'drop') for (const name in fields) if (!known.has(name)) dropSecrets(fields, name)
    },
    scrub(text) {
      const masked = queryTokens === 'mask' ? mask.inText(text) : text
      const hidden = addresses === 'keep' ? masked : masked.replace(anyAddress, '***')
      return authorizationHeader === 'drop' ? redact(hidden) : hidden
    },
  }
}

const redact = redactionFor()

function dropSecrets(fields: Record<string, unknown>, name: string): void {
  const value = fields[name]
  if (isSecretField(name)) delete fields[name]
  else if (typeof value === 'object' && value !== null) {
    const inner = value as Record<string, unknown> // or a list, whose indexes are names
    for (const each of Object.keys(inner)) dropSecrets(inner, each)
  }
}

// The lookbehind lets the expression scan each group of hex digits only once, from its start.
const anyAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\da-f])[\da-f]*(?::[\da-f]*){2,}/gi

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
