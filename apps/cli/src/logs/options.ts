import type { LogFilters } from '@cdn/api'
import type { ValueOption } from '../command/command.ts'
import { choice, duration, id, instant, named, type ValueType } from '../command/value-type.ts'

/** The pull zone whose logs are read. */
export const zoneArgument = { value: id, summary: 'The pull zone' } as const

/** The filters of version 2 (supplement), all of them; a test holds them against the contract. */
export const filterOptions = {
  status: filter('CODES', 'Status codes or classes, comma-separated: 404,5xx'),
  'cache-status': filter('STATUSES', 'Cache statuses, comma-separated, compared exactly: HIT,STALE (§2)'),
  country: filter('CODES', 'Two-letter country codes, comma-separated; costs more requests'),
  'edge-location': filter('CODE', 'The edge location, compared exactly'),
  'remote-ip': filter('ADDRESS', 'The address of the visitor, or its network where the zone anonymises'),
  'url-contains': filter('TEXT', 'Part of host and path, in any case'),
  'user-agent-contains': filter('TEXT', 'Part of the user agent, in any case'),
  'referer-contains': filter('TEXT', 'Part of the referer, in any case'),
  search: filter('WORDS', 'Up to 16 words, any of which is in any text of the row; costs more requests'),
  'request-id': filter('ID', 'The request id, with hyphens or without'),
  'include-origin-shield': { summary: 'Also the requests from the edge to the origin shield' },
} as const

/** The range of time. */
export const rangeOptions = {
  since: { value: duration, summary: 'The range begins so long before its end' },
  from: { value: instant, summary: 'The range begins here, inclusive' },
  to: { value: instant, summary: 'The range ends here, exclusive; now where absent' },
} as const

/** Rows with extended logging hold a credential of the visitor; it is hidden unless this is given. */
export const authorizationOption = {
  'show-authorization': { summary: 'Show the authorizationHeader of rows: a live credential of a visitor' },
} as const

export const orderOption = {
  order: { value: choice('desc', 'asc'), summary: 'Newest first (desc) or oldest first', default: 'desc' },
} as const

const dayMs = 86_400_000

/** A UTC day, as its midnight. */
export const dayType: ValueType<Date> = {
  placeholder: 'DAY',
  must: 'a day such as 2026-06-17, today or yesterday (UTC)',
  parse: (text, now) => {
    const today = Math.floor(now.getTime() / dayMs) * dayMs
    if (text === 'today') return new Date(today)
    if (text === 'yesterday') return new Date(today - dayMs)
    const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
    return day && !Number.isNaN(day.getTime()) ? day : undefined
  },
}

type FilterValues = { readonly [Name in keyof typeof filterOptions]: string | boolean | undefined }

/** Takes the filters out of the options of a command, under the names of the contract. */
export function filtersOf(options: FilterValues): LogFilters {
  const given = Object.keys(filterOptions).flatMap((name) => {
    const value = options[name as keyof FilterValues]
    return value ? [[parameterName(name), value]] : []
  })
  return Object.fromEntries(given)
}

/** @returns the contract's name of a parameter: `urlContains` for `url-contains` */
export function parameterName(option: string): string {
  return option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function filter(placeholder: string, summary: string): ValueOption<string> & { readonly ground: 'supplement' } {
  return { value: named(placeholder), summary, ground: 'supplement' }
}
