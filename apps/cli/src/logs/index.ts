import { type Command, Option } from '@commander-js/extra-typings'
import {
  argument,
  type CommandDescription,
  describe,
  option,
  repeatable,
  type StartCommand,
} from '../program/command.ts'
import { choice, duration, file, idOrName, integer } from '../program/value-type.ts'
import { dayType, dimensions, filtersOf, range, withFilters } from './options.ts'

const zoneArgument = argument('<zone>', 'ID or name of the pull zone', idOrName('pull zone', '/pullzone'))

/** Adds the command of a read: it takes a zone, calls the platform and prints data. */
function addRead(
  group: Command,
  name: string,
  summary: string,
  description: Omit<CommandDescription, 'isRemote' | 'hasOutput'>,
) {
  const command = group.command(name).summary(summary)
  return describe(command, { ...description, isRemote: true, hasOutput: true }).addArgument(zoneArgument)
}

/** Adds a read of the rows of a range. */
function addRangeRead(...given: Parameters<typeof addRead>) {
  const command = addRead(...given)
    .addOption(range.since)
    .addOption(range.from)
    .addOption(range.to)
  return withFilters(command)
}

/** `cdn logs`: the access logs of a pull zone. This file has only declarations; the code of a command is loaded when it runs. */
export function addLogsCommands(group: Command, start: StartCommand): void {
  addRangeRead(group, 'query', 'Print log rows of a time range', {
    operation: 'logging.query-logs',
    details: [
      'Logs are kept for 3 days. --since 3d omits the oldest minute, which is deleted while the command runs. Memory does not grow with the range: to print the newest rows first, up to 20,000 rows are held; with --order asc, each row is printed as it arrives.',
      'JSON and NDJSON contain each row as the platform sends it, but authorizationHeader and tokens in URLs only with --show-secrets. CSV has 21 columns in a fixed order.',
    ],
    examples: [
      { text: 'The newest rows of the last two hours', line: 'cdn logs query 2002 --since 2h' },
      {
        text: 'All failed requests of a day, for a spreadsheet',
        line: 'cdn logs query 2002 --since 1d --status 5xx --all -o csv',
      },
      {
        text: 'Addresses that miss the cache',
        line: "cdn logs query 2002 --since 1d --cache-status MISS --query '[].remoteIp'",
      },
    ],
  })
    .addOption(
      option('--order <choice>', 'Newest first (desc) or oldest first (asc)', choice('desc', 'asc')).default('desc'),
    )
    .addOption(option('-n, --limit <n>', 'Maximum number of rows', integer(1)).default(100))
    .addOption(new Option('--all', 'Print all rows of the range; ignores --limit'))
    .action((zone, options, command) =>
      start(async (context) => (await import('./query.ts')).runQuery(context, zone, options, filtersOf(command))),
    )

  withFilters(
    addRead(group, 'tail', 'Print new log rows as they arrive', {
      details: [
        'Rows arrive late and out of order. Each read overlaps the previous ones and rows are compared whole, so every row that arrives within --lateness is printed once. Network errors, rate limits and platform errors are retried.',
        'On a terminal, the last line shows how far the tail is behind.',
        'The formats are those of cdn logs query. The exit code is 1 if rows were lost, for example because the machine slept for longer than logs are kept.',
      ],
      examples: [
        { text: 'Follow a zone', line: 'cdn logs tail 2002 --since 1h', isEndless: true },
        {
          text: 'Failed requests of the next two seconds as NDJSON',
          line: 'cdn logs tail 2002 --since 1d --status 5xx --for 2s -o ndjson',
        },
      ],
    }).addOption(option('--since <duration>', 'Start this long ago', duration).default(10_000, '10s')),
  )
    .addOption(
      option('--lateness <duration>', 'How late a row may arrive and still be printed', duration).default(
        300_000,
        '5m',
      ),
    )
    .addOption(option('--interval <duration>', 'Pause between two reads', duration).default(2000, '2s'))
    .addOption(option('--for <duration>', 'End after this time (default: on Ctrl-C)', duration))
    .action((zone, options, command) =>
      start(async (context) => (await import('./tail/command.ts')).runTail(context, zone, options, filtersOf(command))),
    )

  addRangeRead(group, 'stats', 'Summarize a time range: hit ratio, statuses, countries, paths, timeline', {
    details: [
      'The hit ratio is the share of HIT among requests with a cache status other than "-". Paths are counted without query strings.',
      'Memory is limited. If a field has more than 8,192 values, the rarest are dropped; each count may then be too low, by at most the printed error.',
      'JSON is one object: {pullZoneId, from, to, requests, bytes, hitRatio, by, overTime}. Each field in "by" has {values: [{value, requests, share}], others, error}; overTime has {stepMs, points: [{from, requests, hitRatio, serverErrors, bytes}]}. A ratio without requests is null.',
    ],
    examples: [
      { text: 'The last day', line: 'cdn logs stats 2002 --since 1d' },
      { text: 'The paths that fail', line: 'cdn logs stats 2002 --since 1d --status 5xx --by path --top 20' },
      { text: 'The hit ratio alone', line: 'cdn logs stats 2002 --since 1d --query hitRatio' },
    ],
  })
    .addOption(repeatable('--by <choice>', 'Count by this field (default: all of them)', choice(...dimensions)))
    .addOption(option('--top <n>', 'Maximum number of values per field', integer(1, 1000)).default(10))
    .action((zone, options, command) =>
      start(async (context) => (await import('./stats.ts')).runStats(context, zone, options, filtersOf(command))),
    )

  addRead(group, 'download', 'Save the log file of a day', {
    operation: 'logging.read-log-file',
    details: [
      'The file contains the lines of the platform, oldest first: fields separated by "|", and the authorization header of extended logging only with --show-secrets. Text from visitors is stored unchanged, control characters included. Lines are written to FILE.part, which is renamed to FILE when it is complete. The file of today ends at the time of the download.',
      'After a broken connection, the download resumes by itself; after an interruption, the same command resumes it. The last lines are read again and compared: if they differ, the file is read from the start.',
      'The result is {file, pullZoneId, day, bytes, lines, isSorted}.',
    ],
    examples: [
      { text: 'Today so far', line: 'cdn logs download 2002' },
      { text: 'Yesterday, compressed', line: 'cdn logs download 2002 yesterday --file - | gzip > yesterday.log.gz' },
    ],
  })
    .addArgument(argument('[day]', 'UTC day: 2026-06-17, today or yesterday (default: today)', dayType))
    .addOption(option('-f, --file <file>', 'File to write (default: ZONE-YYYY-MM-DD.log); - for standard output', file))
    .addOption(new Option('--overwrite', 'Replace the file if it exists'))
    .action((zone, day, options) =>
      start(async (context) => (await import('./download/command.ts')).runDownload(context, zone, day, options)),
    )
}
