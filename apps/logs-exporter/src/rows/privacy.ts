import { isIPv4, isIPv6 } from 'node:net'
import { redactionFor } from '@cdn/api/batches'
import type { PrivacyConfig } from '../config/config.ts'
import type { BatchSource } from '../segments/segment.ts'

/** Privacy rules for the values of a row. */
export interface Privacy {
  readonly replacesNul: boolean
  /** Fields with a rule; all others stay as they are. */
  readonly fields: ReadonlySet<string>
  /** @returns the permitted value; null if the value is dropped */
  apply(name: string, value: unknown): unknown
  /** Masks credentials in the text of a row that could not be parsed. */
  scrub(text: string): string
}

/** Fields that contain a URL, or a part of a URL that includes the query string. */
const urls = ['path', 'url', 'referer']

/**
 * Creates the rules from the configuration.
 *
 * @param replacesNul whether the sink cannot hold U+0000
 */
export function createPrivacy(config: PrivacyConfig, replacesNul: boolean): Privacy {
  const { authorizationHeader, queryTokens, addresses } = config
  const rules = new Map<string, (text: string) => string | null>()
  if (authorizationHeader === 'drop') rules.set('authorizationHeader', () => null)
  if (queryTokens === 'mask') for (const name of urls) rules.set(name, (text) => maskTokens(text))
  if (addresses === 'truncate') rules.set('remoteIp', truncateAddress)
  if (addresses === 'drop') rules.set('remoteIp', () => null)
  return {
    replacesNul,
    fields: new Set(rules.keys()),
    apply(name, value) {
      const rule = rules.get(name)
      return rule && typeof value === 'string' ? rule(value) : value
    },
    scrub(text) {
      const masked = queryTokens === 'mask' ? maskTokens(text, inText) : text
      return addresses === 'keep' ? masked : masked.replace(anyAddress, hidden)
    },
  }
}

const hidden = '***'
// Matches a name and its value in a query string, a fragment, or a path such as `/bcdn_token=...&expires=.../file`.
const inUrl = /([?&;#/]|^)([^=?&;#/]+)=[^?&;#/]*/g
const inText = /([?&;#/"\s]|^)([^=?&;#/"\s]+)=[^?&;#/"\s]*/g
const secretName =
  /(?:token|key|secret|signature|password|passwd|pwd|auth|authorization|credentials?|session(?:_?id)?|jwt|hmac|sig|sid)$/i
// Each group of digits is scanned once, from its start.
const anyAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\da-f])[\da-f]*(?::[\da-f]*){2,}/gi

/**
 * Masks the values of parameters in a URL whose name is that of a credential (`token`, `api_key`, `X-Amz-Signature`, ...). Ignores
 * pipes and line breaks in names: version 1 strips them, and both versions must give the same row.
 */
function maskTokens(text: string, parameter = inUrl): string {
  return text.replace(parameter, (match, before: string, name: string) =>
    isSecret(name) ? `${before}${name}=${hidden}` : match,
  )
}

function isSecret(name: string): boolean {
  const plain = name.replaceAll(/[|\r\n]/g, '')
  return secretName.test(plain.includes('%') ? decodePercent(plain) : plain)
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Shortens an IP address to its network, as the platform does: /24, or /64 for IPv6 (supplement). Returns null for other texts, because
 * then no part of the text is known to be safe.
 */
function truncateAddress(address: string): string | null {
  if (isIPv4(address)) return address.replace(/\d+$/, '0')
  if (!isIPv6(address) || address.includes('%')) return null
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = groups.map((side) => (side === '' ? [] : side.split(':')))
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return new URL(`http://[${all.slice(0, 4).join(':')}::]`).hostname.slice(1, -1)
}

/** A row that no sink can hold: its received text after the privacy rules. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/** Number of fields in a line of version 1 before the field with a visitor's credential (supplement). */
const harmlessFields = 14
const redact = redactionFor()

/** Creates the reject of a row that cannot be parsed. Masks everything that may be a credential. */
export function createReject(text: string, reason: string, source: BatchSource, privacy: Privacy): Reject {
  const scrubbed = privacy.scrub(text)
  if (!privacy.fields.has('authorizationHeader')) return { text: scrubbed, reason }
  const fields = scrubbed.split('|')
  const isLong = source === 'v1' && fields.length > harmlessFields
  const visible = isLong ? [...fields.slice(0, harmlessFields), '[redacted]'].join('|') : scrubbed
  return { text: redact(visible), reason }
}
