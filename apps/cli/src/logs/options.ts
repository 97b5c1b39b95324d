import type { LogFilters } from '@cdn/api'
import { camelCase } from '@cdn/kit/case'
import { dayMs } from '@cdn/kit/time'
import type { Option } from '../commands/program/declaration.ts'
import {
  alternatives,
  choice,
  durationValue,
  file,
  instant,
  integer,
  named,
  pauseValue,
  type ValueType,
  zone,
} from '../commands/program/value-type.ts'

/** The pull zone whose logs are read. */
export const zoneArgument = { zone: { value: zone, summary: 'ID or name of the pull zone' } } as const

/** The cache statuses (§2). A test compares them with the contract. */
const cacheStatuses = ['HIT', 'MISS', 'BYPASS', 'REVALIDATED', 'STALE', 'UPDATING', '-'] as const

/**
 * Cache statuses, in any case; the platform compares them exactly. A value without a meaning is refused: it would look like a range
 * without rows.
 */
const cacheStatus: ValueType<string> = {
  placeholder: 'STATUSES',
  must: `${alternatives(cacheStatuses)}, or several of them, comma-separated (for any other value: cdn api with --param cacheStatus=VALUE)`,
  parse: (text) => {
    const given = text.toUpperCase().split(',')
    return given.every((value) => cacheStatuses.some((known) => known === value)) ? given.join(',') : undefined
  },
  choices: cacheStatuses,
}

/** All filters of version 2 (supplement). A test compares this list with the contract. */
export const filterOptions = {
  status: filter('CODES', 'Status codes or classes, comma-separated: 404,5xx'),
  'cache-status': { value: cacheStatus, summary: 'Cache statuses, comma-separated: HIT,STALE' },
  country: filter('CODES', 'Two-letter country codes, comma-separated (needs more requests)'),
  'edge-location': filter('CODE', 'Code of the edge location'),
  'remote-ip': filter('ADDRESS', 'Address of the visitor; its network if the zone anonymizes addresses'),
  'url-contains': filter('TEXT', 'Part of host and path, case-insensitive'),
  'user-agent-contains': filter('TEXT', 'Part of the user agent, case-insensitive'),
  'referer-contains': filter('TEXT', 'Part of the referer, case-insensitive'),
  search: filter('WORDS', 'Up to 16 words; rows that contain any of them (needs more requests)'),
  'request-id': filter('ID', 'Request id, with or without hyphens'),
  'include-origin-shield': { summary: 'Also print requests from the edge to the origin shield' },
} as const

const rangeOptions = {
  since: { value: durationValue, summary: 'Length of the range, back from its end, such as 2h (default: 1h)' },
  from: { value: instant, summary: 'Start of the range (inclusive), instead of --since: 2026-06-17T14:30:00Z' },
  to: {
    value: instant,
    summary: 'End of the range (exclusive): 2026-06-17T14:30:00Z, or 2h for two hours ago (default: now)',
  },
} as const

/** Rows with extended logging contain a credential of the visitor. It is hidden by default. */
const authorizationOption = {
  'show-authorization': { summary: 'Show authorizationHeader, the credential of a visitor' },
} as const

export const queryOptions = {
  ...rangeOptions,
  ...filterOptions,
  order: { value: choice('desc', 'asc'), summary: 'Newest first (desc) or oldest first (asc)', default: 'desc' },
  limit: { value: integer(1), summary: 'Maximum number of rows', short: 'n', default: 100 },
  all: { summary: 'Print all rows of the range; ignores --limit' },
  ...authorizationOption,
} as const

export const tailOptions = {
  since: { value: durationValue, summary: 'Start this long ago (default: 10s)' },
  resume: { value: named('TOKEN'), summary: 'Continue where an earlier tail ended' },
  ...filterOptions,
  lateness: { value: durationValue, summary: 'How late a row may arrive and still be printed (default: 5m)' },
  interval: { value: pauseValue, summary: 'Pause between two reads (default: 2s)' },
  for: { value: durationValue, summary: 'End after this time (default: on Ctrl-C)' },
  ...authorizationOption,
} as const

/** The fields by which rows can be counted, in display order. */
export const dimensions = ['cacheStatus', 'status', 'country', 'host', 'path', 'userAgent'] as const
export type Dimension = (typeof dimensions)[number]

export const statsOptions = {
  ...rangeOptions,
  ...filterOptions,
  by: { value: choice(...dimensions), summary: 'Count by this field (default: all of them)', repeat: true },
  top: { value: integer(1, 1000), summary: 'Maximum number of values per field', default: 10 },
  watch: { value: pauseValue, summary: 'Repeat at this interval until Ctrl-C; a terminal is redrawn' },
} as const

/** A UTC day, represented by its midnight. */
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

export const downloadArguments = {
  ...zoneArgument,
  day: { value: dayType, summary: 'UTC day: 2026-06-17, today or yesterday (default: today)', optional: true },
} as const

export const downloadOptions = {
  file: { value: file, summary: 'File to write (default: ZONE-YYYY-MM-DD.log)', short: 'f' },
  gzip: { summary: 'Compress the file' },
  overwrite: { summary: 'Replace the file if it exists' },
  ...authorizationOption,
} as const

type FilterValues = { readonly [Name in keyof typeof filterOptions]: string | boolean | undefined }

/** Selects the filters among the options of a command, with the names of the contract. */
export function filtersOf(options: FilterValues): LogFilters {
  const given = Object.entries(options).flatMap(([name, value]) =>
    name in filterOptions && value ? [[camelCase(name), value]] : [],
  )
  return Object.fromEntries(given)
}

function filter(placeholder: string, summary: string): Option<string> & { readonly value: ValueType<string> } {
  return { value: named(placeholder), summary }
}
