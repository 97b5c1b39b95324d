import { defineCommand, type Entry } from '../command/command.ts'
import { choice, duration, file, integer, named } from '../command/value-type.ts'
import { authorizationOption, dayType, filterOptions, orderOption, rangeOptions, zoneArgument } from './options.ts'

/** `cdn logs`: the access logs of a pull zone. Declarations only; what they do is loaded when it is called. */
export const commands: readonly Entry[] = [
  defineCommand({
    name: 'query',
    summary: 'Print the rows of a range of time (version 2, §4.3)',
    details: [
      'The range is the last hour where nothing else is said. Logs are kept for 3 days (§8); of a range that begins just there, the oldest minute is left out, since the platform may refuse it. Rows are printed as they arrive, and a range of any length takes the same memory.',
      'Filters go to the platform, which joins those of one command by "and". Parameters and fields are not shown in the document: they are those of the public reference (supplement).',
      'The JSON forms give each row as the platform does, fields that it adds one day included; authorizationHeader is hidden. CSV has the 21 fields of the contract, in its order.',
    ],
    arguments: { zone: zoneArgument },
    options: {
      ...rangeOptions,
      ...filterOptions,
      ...orderOption,
      limit: { value: integer(1), summary: 'At most so many rows', short: 'n', default: 100 },
      all: { summary: 'All rows of the range, whatever --limit says' },
      ...authorizationOption,
    },
    examples: [
      { text: 'The newest rows of the last two hours', line: 'cdn logs query 2002 --since 2h' },
      {
        text: 'All failures of a day, for a spreadsheet',
        line: 'cdn logs query 2002 --since 1d --status 5xx --all -o csv',
      },
      {
        text: 'Which addresses miss the cache?',
        line: "cdn logs query 2002 --since 1d --cache-status MISS --query '[].remoteIp'",
      },
    ],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => (await import('./query/command.ts')).runQuery(context, input),
  }),
  defineCommand({
    name: 'tail',
    summary: 'Print rows as they arrive, each one once',
    details: [
      'Rows arrive late and out of order. Each look reads a range that overlaps the ones before, and rows are compared whole, so that none is lost or doubled that arrives within --lateness; rows that come behind newer ones are counted as late. Troubles of the network, the rate limit and the platform are survived.',
      'A line at the bottom of the terminal tells how far the tail is behind. When it ends, it prints a token on standard error: --resume TOKEN goes on where it ended: no row in between is lost, none comes twice. Digests of the rows that were shown and may come again are kept for it in the state folder of your account; on another machine these rows come once more.',
      'The JSON forms and CSV are those of cdn logs query, with one field more: lateMs, how old a row was when it came behind newer ones. The exit code is 1 where rows were lost, for example because the tail was away for longer than logs are kept.',
    ],
    arguments: { zone: zoneArgument },
    options: {
      since: { value: duration, summary: 'Begin with the rows of so long ago; 10s where absent' },
      resume: { value: named('TOKEN'), summary: 'Go on where an earlier tail ended' },
      ...filterOptions,
      lateness: { value: duration, summary: 'How late a row may arrive and is still printed; 5m where absent' },
      interval: { value: duration, summary: 'Pause between two looks; 2s where absent' },
      for: { value: duration, summary: 'End after so long; without it on Ctrl-C' },
      ...authorizationOption,
    },
    examples: [
      { text: 'Follow a zone', line: 'cdn logs tail 2002 --since 1h', isEndless: true },
      {
        text: 'Failures for two seconds, as lines of JSON',
        line: 'cdn logs tail 2002 --since 1d --status 5xx --for 2s -o ndjson',
      },
    ],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => (await import('./tail/command.ts')).runTail(context, input),
  }),
  defineCommand({
    name: 'stats',
    summary: 'Count the rows of a range: hit ratio, statuses, countries, paths, over time',
    details: [
      'The hit ratio is the share of HIT among the requests that met the cache, which all do but those with the status "-" (§2). Paths are counted without their query string.',
      'Memory is bounded: of a field with very many values the rarest are dropped, and then each count may be too low by as much as the error that is printed with it (Misra and Gries).',
      'JSON is one object: {pullZoneId, from, to, requests, bytes, hitRatio, by, overTime}. Each field in "by" has {values: [{value, requests, share}], others, error}; overTime has {stepMs, points: [{from, requests, hitRatio, serverErrors, bytes}]}. A ratio is null where there is nothing to divide by.',
      'NDJSON and CSV are a line for each value: by (total, a field, or time), value, requests, share, error, and for total and time hitRatio and bytes.',
    ],
    arguments: { zone: zoneArgument },
    options: {
      ...rangeOptions,
      ...filterOptions,
      by: {
        value: choice('status', 'cacheStatus', 'country', 'host', 'path', 'userAgent'),
        summary: 'Count by this field; by all of them where absent',
        repeat: true,
      },
      top: { value: integer(1, 1000), summary: 'How many values of a field are given', default: 10 },
    },
    examples: [
      { text: 'The last day', line: 'cdn logs stats 2002 --since 1d' },
      { text: 'Which paths fail?', line: 'cdn logs stats 2002 --since 1d --status 5xx --by path --top 20' },
      { text: 'The hit ratio alone', line: 'cdn logs stats 2002 --since 1d --query hitRatio' },
    ],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => (await import('./stats/command.ts')).runStats(context, input),
  }),
  defineCommand({
    name: 'download',
    summary: 'Save the file of a day (version 1, §4.4)',
    details: [
      'The lines are those of the platform, oldest first: fields joined by "|", without the visitor\'s credential of extended logging. What visitors sent stands in them as it came, characters that steer a terminal included. They are written to FILE.part, which becomes FILE when the file is complete. The file of today ends at the time of the download.',
      'A download that breaks off goes on by itself; one that was ended goes on when it is called again. The last lines are read once more and compared: where the file of the platform has changed before them, it is read from the start.',
      'At the end it prints {file, pullZoneId, day, bytes, lines, malformed, isSorted}; malformed lines are in the file, too.',
    ],
    arguments: {
      zone: zoneArgument,
      day: { value: dayType, summary: 'The UTC day; today where absent', optional: true },
    },
    options: {
      file: { value: file, summary: 'Where to; ZONE-YYYY-MM-DD.log here where absent', short: 'f' },
      gzip: { summary: 'Compress the file' },
      overwrite: { summary: 'Replace the file where it exists' },
      ...authorizationOption,
    },
    examples: [
      { text: 'Today so far', line: 'cdn logs download 2002' },
      { text: 'Yesterday, compressed', line: 'cdn logs download 2002 yesterday --gzip --file yesterday.log.gz' },
    ],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => (await import('./download/command.ts')).runDownload(context, input),
  }),
]
