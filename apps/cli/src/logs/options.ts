import type { LogFilters } from '@cdn/api'
import { dayMs } from '@cdn/kit/time'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { option } from '../program/command.ts'
import {
  alternatives,
  duration,
  instant,
  type Moment,
  nonEmpty,
  urlPart,
  type ValueType,
} from '../program/value-type.ts'

/** The cache statuses (§2). A test compares them with the contract. */
const cacheStatuses = ['HIT', 'MISS', 'BYPASS', 'REVALIDATED', 'STALE', 'UPDATING', '-'] as const

/**
 * Cache statuses, in upper or lower case; the platform compares them exactly. An unknown value is refused, because its empty result
 * would look like a range without rows.
 */
const cacheStatus: ValueType<string> = {
  placeholder: 'statuses',
  must: `${alternatives(cacheStatuses)}, or several of them, comma-separated (for any other value: cdn api with --param cacheStatus=VALUE)`,
  parse: (text) => {
    const given = text.toUpperCase().split(',')
    return given.every((value) => cacheStatuses.some((known) => known === value)) ? given.join(',') : undefined
  },
  choices: cacheStatuses,
  isList: true,
}

/** All filters of version 2 (supplement). A test compares this list with the contract. */
export const filterOptions: readonly Option<string, undefined, undefined, string | undefined>[] = [
  option('--status <codes>', 'Status codes or classes, comma-separated: 404,5xx', nonEmpty),
  option('--cache-status <statuses>', 'Cache statuses, comma-separated: HIT,STALE', cacheStatus),
  option('--country <codes>', 'Two-letter country codes, comma-separated (needs more requests)', nonEmpty),
  option('--edge-location <code>', 'Code of the edge location', nonEmpty),
  option('--remote-ip <address>', 'Address of the visitor; its network if the zone anonymizes addresses', nonEmpty),
  option('--url-contains <text>', 'Part of host and path, case-insensitive', urlPart),
  option('--user-agent-contains <text>', 'Part of the user agent, case-insensitive', nonEmpty),
  option('--referer-contains <text>', 'Part of the referer, case-insensitive', urlPart),
  option('--search <words>', 'Up to 16 words; rows that contain any of them (needs more requests)', nonEmpty),
  option('--request-id <id>', 'Request id, with or without hyphens', nonEmpty),
  new Option('--include-origin-shield', 'Include requests from the edge to the origin shield'),
]

export function withFilters<C extends CommandUnknownOpts>(command: C): C {
  for (const filter of filterOptions) command.addOption(filter)
  return command
}

/** Selects the filters among the options of a command, with the names of the contract. */
export function filtersOf(command: CommandUnknownOpts): LogFilters {
  const names = filterOptions.map((filter) => filter.attributeName())
  return Object.fromEntries(Object.entries(command.opts()).filter(([name]) => names.includes(name)))
}

export const range = {
  since: option('--since <duration>', 'Length of the range, back from its end, such as 2h (default: 1h)', duration),
  from: option(
    '--from <time>',
    'Start of the range (inclusive): a time such as 2026-06-17T14:30 (UTC by default), or a duration ago such as 2h',
    instant,
  ),
  to: option(
    '--to <time>',
    'End of the range (exclusive, UTC): 2026-06-17T14:30, or 2h for two hours ago (default: now)',
    instant,
  ),
}

/** The fields by which rows can be counted, in display order. */
export const dimensions = ['cacheStatus', 'status', 'country', 'host', 'path', 'userAgent'] as const
export type Dimension = (typeof dimensions)[number]

/** A UTC day, represented by its midnight. */
export const dayType: ValueType<Moment> = {
  placeholder: 'day',
  must: 'a day such as 2026-06-17, today or yesterday (UTC)',
  suggestions: ['today', 'yesterday'],
  parse: (text) => {
    const ago = ['today', 'yesterday'].indexOf(text)
    if (ago !== -1) return (now) => new Date(Math.floor(now.getTime() / dayMs - ago) * dayMs)
    const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
    return day && !Number.isNaN(day.getTime()) ? () => day : undefined
  },
}
