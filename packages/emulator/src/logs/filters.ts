import { isIP } from 'node:net'
import type { LogRow } from '../state/log-row.ts'
import type { Zone } from '../state/state.ts'
import type { Variants } from '../variants.ts'
import { showAddress } from './address.ts'

export type Test = (row: LogRow) => boolean

/** The filters of v2 as given: text by parameter name; empty text counts as not given. */
export type FilterTexts = Readonly<Record<string, unknown>>

/** Filters ready to run, or one sentence for each that is not valid. */
export interface Filters {
  /** Applied to the store. */
  readonly stored: readonly Test[]
  /** Applied to a page after it was cut (supplement: `country` and `search`). */
  readonly onPage: readonly Test[]
  readonly problems: readonly string[]
}

/** Bounds of `search` (supplement). */
const searchBounds = { tokens: 16, characters: 128 } as const

type Build = (text: string, zone: Zone, variants: Variants) => Test | string

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
    const wanted = canonical(showAddress(text, zone.addresses))
    return ({ remoteIp }) => remoteIp !== null && canonical(showAddress(remoteIp, zone.addresses)) === wanted
  },
  urlContains: (text) => contains(text, (row) => row.host + row.path),
  userAgentContains: (text) => contains(text, (row) => row.userAgent),
  refererContains: (text) => contains(text, (row) => row.referer),
  requestId: (text) => {
    if (!/^[\da-f]{8}(-?)[\da-f]{4}\1[\da-f]{4}\1[\da-f]{4}\1[\da-f]{12}$/i.test(text))
      return 'The parameter requestId takes a UUID.'
    const wanted = text.replaceAll('-', '').toLowerCase()
    return ({ requestId }) => requestId !== null && requestId.replaceAll('-', '').toLowerCase() === wanted
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
    const wanted = tokens.map(fold)
    if (wanted.length === 0) return () => true
    return (row) =>
      searched(row, zone).some((value) => value !== null && wanted.some((token) => fold(value).includes(token)))
  },
}

/**
 * The filters of a v2 query (supplement). Each narrows the result; within a list any value is enough.
 */
export function createFilters(texts: FilterTexts, zone: Zone, variants: Variants): Filters {
  const build = (builders: Readonly<Record<string, Build>>) =>
    Object.entries(builders).flatMap(([name, make]) => {
      const text = texts[name]
      return typeof text === 'string' && text !== '' ? [make(text, zone, variants)] : []
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

/** The fields that `search` looks into, as far as the zone shows them. */
function searched(row: LogRow, zone: Zone): (string | null)[] {
  const { cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, contentRange } = row
  const shownRange = zone.extendedLogging ? contentRange : null
  return [cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, shownRange]
}

function list(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}

function contains(part: string, textOf: (row: LogRow) => string | null): Test {
  const wanted = part.toLowerCase()
  return (row) => textOf(row)?.toLowerCase().includes(wanted) ?? false
}

/** One spelling of an address, so that `2001:DB8::1` and `2001:db8:0::1` are the same. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address
}
