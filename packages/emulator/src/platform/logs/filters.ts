import { isIP } from 'node:net'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { PullZone } from '../state/zones.ts'
import { showAddress } from './format.ts'

export type Test = (row: StoredLogRow) => boolean

/** The compiled filters, and one sentence per invalid filter. */
export interface Filters {
  /** Filters that are applied to the store. */
  readonly stored: readonly Test[]
  /** Filters that are applied to a page after it was cut (supplement: `country` and `search`). */
  readonly onPage: readonly Test[]
  readonly problems: readonly string[]
}

/** Maximum number of tokens in `search`, and maximum number of characters per token (supplement). */
const searchBounds = { tokens: 16, characters: 128 } as const

type Build = (text: string, zone: PullZone, variants: Variants) => Test | string

const storedFilters: Readonly<Record<string, Build>> = {
  status: (text) => {
    const items = list(text)
    if (!items.every((item) => /^([1-5]\d\d|[1-5]xx)$/i.test(item)))
      return 'The parameter status takes codes or classes such as 404,5xx.'
    return ({ statusCode }) =>
      items.some((item) =>
        /xx$/i.test(item) ? Math.floor(statusCode / 100) === Number(item[0]) : statusCode === Number(item),
      )
  },
  cacheStatus: (text) => {
    const items = list(text)
    return (row) => items.includes(row.cacheStatus)
  },
  edgeLocation: (text) => (row) => row.edgeLocation === text,
  remoteIp: (text, zone) => {
    if (isIP(text) === 0) return 'The parameter remoteIp takes an IPv4 or IPv6 address.'
    if (zone.addresses === 'dropped') return () => true
    const address = canonical(showAddress(text, zone.addresses))
    return ({ remoteIp }) => remoteIp !== null && canonical(showAddress(remoteIp, zone.addresses)) === address
  },
  urlContains: (text) => contains(text, (row) => row.host + row.path),
  userAgentContains: (text) => contains(text, (row) => row.userAgent),
  refererContains: (text) => contains(text, (row) => row.referer),
  requestId: (text) => {
    if (!/^[\da-f]{8}(-?)[\da-f]{4}\1[\da-f]{4}\1[\da-f]{4}\1[\da-f]{12}$/i.test(text))
      return 'The parameter requestId takes a UUID.'
    const id = text.replaceAll('-', '').toLowerCase()
    return ({ requestId }) => requestId !== null && requestId.replaceAll('-', '').toLowerCase() === id
  },
}

const pageFilters: Readonly<Record<string, Build>> = {
  country: (text) => {
    const items = list(text.toUpperCase())
    if (!items.every((item) => /^[A-Z]{2}$/.test(item)))
      return 'The parameter country takes two-letter codes such as DE,FR.'
    return (row) => row.countryCode !== null && items.includes(row.countryCode)
  },
  search: (text, zone, { searchCase }) => {
    const fold = (value: string) => (searchCase === 'insensitive' ? value.toLowerCase() : value)
    const tokens = text.split(' ').filter(Boolean)
    if (tokens.length > searchBounds.tokens) return `The parameter search takes at most ${searchBounds.tokens} tokens.`
    if (tokens.some((token) => [...token].length > searchBounds.characters))
      return `A token of the parameter search has at most ${searchBounds.characters} characters.`
    const parts = tokens.map(fold)
    if (parts.length === 0) return () => true
    return (row) =>
      searched(row, zone).some((value) => value !== null && parts.some((part) => fold(value).includes(part)))
  },
}

/**
 * Compiles the filters of a v2 query (supplement). A row must pass all filters; within a list, one matching value is enough.
 *
 * @param parameters by name. An empty text means no filter.
 */
export function createFilters(
  parameters: Readonly<Record<string, unknown>>,
  zone: PullZone,
  variants: Variants,
): Filters {
  const build = (builders: Readonly<Record<string, Build>>) =>
    Object.entries(builders).flatMap(([name, make]) => {
      const text = String(parameters[name] ?? '')
      return text === '' ? [] : [make(text, zone, variants)]
    })
  const stored = build(storedFilters)
  const onPage = build(pageFilters)
  const isTest = (result: Test | string) => typeof result === 'function'
  return {
    stored: stored.filter(isTest),
    onPage: onPage.filter(isTest),
    problems: [...stored, ...onPage].filter((result) => typeof result === 'string'),
  }
}

/** Returns the fields that `search` is compared with, except fields that the zone does not show. */
function searched(row: StoredLogRow, zone: PullZone): (string | null)[] {
  const { cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, contentRange } = row
  const shownRange = zone.extendedLogging ? contentRange : null
  return [cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, shownRange]
}

function list(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}

function contains(part: string, textOf: (row: StoredLogRow) => string | null): Test {
  const lowerPart = part.toLowerCase()
  return (row) => textOf(row)?.toLowerCase().includes(lowerPart) ?? false
}

/** Normalizes an address, so that `2001:DB8::1` and `2001:db8:0::1` are equal. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address
}
