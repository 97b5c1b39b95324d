import type { LogFilters } from '@cdn/api'
import { dayMs } from '@cdn/kit/time'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { argument, option, repeatable } from '../commands/program/command.ts'
import {
  alternatives,
  choice,
  file,
  instant,
  integer,
  type Moment,
  named,
  pause,
  span,
  type ValueType,
  zone,
} from '../commands/program/value-type.ts'

/** The pull zone whose logs are read. */
export const zoneArgument = argument('<zone>', 'ID or name of the pull zone', zone)

/** The cache statuses (§2). A test compares them with the contract. */
const cacheStatuses = ['HIT', 'MISS', 'BYPASS', 'REVALIDATED', 'STALE', 'UPDATING', '-'] as const

/**
 * Cache statuses, in any case; the platform compares them exactly. A value without a meaning is refused: it would look like a range
 * without rows.
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
  option('--status <codes>', 'Status codes or classes, comma-separated: 404,5xx', named),
  option('--cache-status <statuses>', 'Cache statuses, comma-separated: HIT,STALE', cacheStatus),
  option('--country <codes>', 'Two-letter country codes, comma-separated (needs more requests)', named),
  option('--edge-location <code>', 'Code of the edge location', named),
  option('--remote-ip <address>', 'Address of the visitor; its network if the zone anonymizes addresses', named),
  option('--url-contains <text>', 'Part of host and path, case-insensitive', named),
  option('--user-agent-contains <text>', 'Part of the user agent, case-insensitive', named),
  option('--referer-contains <text>', 'Part of the referer, case-insensitive', named),
  option('--search <words>', 'Up to 16 words; rows that contain any of them (needs more requests)', named),
  option('--request-id <id>', 'Request id, with or without hyphens', named),
  new Option('--include-origin-shield', 'Also print requests from the edge to the origin shield'),
]

/** Adds the filters to a command. */
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
  since: option('--since <duration>', 'Length of the range, back from its end, such as 2h (default: 1h)', span),
  from: option('--from <time>', 'Start of the range (inclusive), instead of --since: 2026-06-17T14:30:00Z', instant),
  to: option(
    '--to <time>',
    'End of the range (exclusive): 2026-06-17T14:30:00Z, or 2h for two hours ago (default: now)',
    instant,
  ),
}

export const query = {
  order: option('--order <choice>', 'Newest first (desc) or oldest first (asc)', choice('desc', 'asc')).default('desc'),
  limit: option('-n, --limit <n>', 'Maximum number of rows', integer(1)).default(100),
  all: new Option('--all', 'Print all rows of the range; ignores --limit'),
}

export const tail = {
  since: option('--since <duration>', 'Start this long ago (default: 10s)', span),
  lateness: option('--lateness <duration>', 'How late a row may arrive and still be printed (default: 5m)', span),
  interval: option('--interval <duration>', 'Pause between two reads (default: 2s)', pause),
  for: option('--for <duration>', 'End after this time (default: on Ctrl-C)', span),
}

/** The fields by which rows can be counted, in display order. */
export const dimensions = ['cacheStatus', 'status', 'country', 'host', 'path', 'userAgent'] as const
export type Dimension = (typeof dimensions)[number]

export const stats = {
  by: repeatable('--by <choice>', 'Count by this field (default: all of them)', choice(...dimensions)),
  top: option('--top <n>', 'Maximum number of values per field', integer(1, 1000)).default(10),
  watch: option('--watch <duration>', 'Repeat at this interval until Ctrl-C; a terminal is redrawn', pause),
}

/** A UTC day, represented by its midnight. */
export const dayType: ValueType<Moment> = {
  placeholder: 'day',
  must: 'a day such as 2026-06-17, today or yesterday (UTC)',
  parse: (text) => {
    const ago = ['today', 'yesterday'].indexOf(text)
    if (ago !== -1) return (now) => new Date(Math.floor(now.getTime() / dayMs - ago) * dayMs)
    const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
    return day && !Number.isNaN(day.getTime()) ? () => day : undefined
  },
}

export const download = {
  day: argument('[day]', 'UTC day: 2026-06-17, today or yesterday (default: today)', dayType),
  file: option('-f, --file <file>', 'File to write (default: ZONE-YYYY-MM-DD.log); - for standard output', file),
  overwrite: new Option('--overwrite', 'Replace the file if it exists'),
}
