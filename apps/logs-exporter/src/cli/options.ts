import { createCommand, once, runProgram, UsageError } from '@cdn/kit/command-line'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Shard } from '../config/config.ts'
import { parseShard } from '../config/shard.ts'
import { isZoneId, parseConfigDuration } from '../config/values.ts'
import { ConfigurationError } from '../errors.ts'
import type { RequestedRange } from './range.ts'

/** The command to run, with the path of the configuration. */
export type ExporterCommand = Task & { readonly config: string; readonly shard: Shard | undefined }

export type CommandOf<Name extends Task['name']> = Extract<ExporterCommand, { readonly name: Name }>

/**
 * A command with its own options. `zones` are the values of `--zone`; without any, the command takes all configured zones, and
 * `verify` also all zones in the sink. Without a range, `verify` checks everything in the sink. `again`: whether to read windows that
 * are already in the sink again, to find late rows.
 */
type Task = Readonly<
  | { name: 'run'; once: boolean }
  | { name: 'config check'; offline: boolean }
  | { name: 'status'; json: boolean }
  | { name: 'backfill'; zones: readonly string[]; range: RequestedRange; again: boolean }
  | { name: 'verify'; zones: readonly string[]; range: RequestedRange | undefined }
>

/** A command that only prints, without a configuration. */
export interface Printed {
  readonly name: 'config example' | 'config schema'
}

const help = `
The default of --config is the environment variable CDN_LOGS_EXPORTER_CONFIG.
cdn-logs-exporter --version prints the version. Exit codes: 0 done, 1 failed, 2 invalid configuration,
3 credentials refused, 6 data lost or a difference found, 130 interrupted.`

/**
 * Parses a command line.
 *
 * @param args without the paths of the runtime and the script
 * @param env `CDN_LOGS_EXPORTER_CONFIG` is the default of `--config`
 * @param write prints help
 * @returns the command, or the exit code if help was printed
 * @throws ConfigurationError with one sentence about an unknown, missing or contradictory option
 */
export async function parseCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<ExporterCommand | Printed | number> {
  let command: ExporterCommand | Printed | undefined
  const program = createCommand('cdn-logs-exporter', write)
    .description('Exports the request logs of pull zones; no row is lost or duplicated.')
    .addHelpText('after', help)
  const add = (name: string, description: string) =>
    createCommand(name, write)
      .description(description)
      .option('--config <file>', 'the configuration, YAML', once(toPath))
      .option('--shard <i/n>', 'only the zones of shard I of N (I starts at 0)', once(toShard))
  const addRanged = (name: string, description: string) =>
    add(name, description)
      .option('--zone <id>', 'only this pull zone; can be repeated', addZone)
      .option('--since <duration>', 'length of the range, back from its end, such as 2h', once(toDuration))
      .option('--from <time>', 'start of the range: 2026-06-17T14:00:00Z, or a day in UTC', once(toTime))
      .option(
        '--to <time>',
        'end of the range, exclusive; by default the end of the newest closed window',
        once(toTime),
      )
  const start = ({ config, shard }: { config?: string | undefined; shard?: Shard | undefined }, task: Task) => {
    const path = config ?? env['CDN_LOGS_EXPORTER_CONFIG']
    if (!path)
      throw new ConfigurationError(
        `${task.name} needs --config FILE or the environment variable CDN_LOGS_EXPORTER_CONFIG.`,
      )
    command = { ...task, config: path, shard }
  }
  const addPrinted = (name: 'example' | 'schema', description: string) =>
    createCommand(name, write)
      .description(description)
      .action(() => {
        command = { name: `config ${name}` }
      })
  program
    .addCommand(
      add('run', 'export all zones of the configuration until you stop it')
        .option('--once', 'export all windows that are closed by now, then exit (for cron)', false)
        .action((options) => start(options, { name: 'run', once: options.once })),
    )
    .addCommand(
      addRanged('backfill', 'export one range')
        .option('--again', 'also reread windows that are already in the sink, and add their late rows', false)
        .action(({ zone = [], again, ...options }) => {
          const range = toRange(options)
          if (!range) throw new ConfigurationError('backfill needs --since DURATION or --from TIME.')
          start(options, { name: 'backfill', zones: zone, range, again })
        }),
    )
    .addCommand(
      addRanged('verify', 'read the sink, and compare it with itself and with the platform').action(
        ({ zone = [], ...options }) => start(options, { name: 'verify', zones: zone, range: toRange(options) }),
      ),
    )
    .addCommand(
      add('status', 'show the progress of each zone, from the ledger')
        .option('--json', 'one object per zone', false)
        .action((options) => start(options, { name: 'status', json: options.json })),
    )
    .addCommand(
      createCommand('config', write)
        .description('check the configuration, or print an example or the schema')
        .addCommand(
          add('check', 'open what run opens: secrets, ledger, port and sink; send one request per zone')
            .option('--offline', 'without the network', false)
            .action((options) => start(options, { name: 'config check', offline: options.offline })),
        )
        .addCommand(addPrinted('example', 'print a configuration to start with'))
        .addCommand(addPrinted('schema', 'print the JSON Schema of the configuration, for editors')),
    )
  try {
    const printed = await runProgram(program, args)
    return command ?? printed ?? 0
  } catch (error) {
    throw error instanceof UsageError ? new ConfigurationError(error.message) : error
  }
}

function toPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('expected the path of a file')
  return text
}

function addZone(text: string, zones: readonly string[] = []): readonly string[] {
  if (!isZoneId(text)) throw new InvalidArgumentError('expected the id of a pull zone, such as 123')
  return zones.includes(text) ? zones : [...zones, text]
}

function toShard(text: string): Shard {
  const shard = parseShard(text)
  if (!shard) throw new InvalidArgumentError('expected INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4')
  return shard
}

function toRange({ from, since, to }: RequestedRange): RequestedRange | undefined {
  if (from === undefined && since === undefined) {
    if (to === undefined) return undefined
    throw new ConfigurationError('--to needs --from or --since.')
  }
  if (from !== undefined && since !== undefined) throw new ConfigurationError('--from and --since exclude each other.')
  if (from !== undefined && to !== undefined && from >= to) throw new ConfigurationError('--from must be before --to.')
  return { from, since, to }
}

function toDuration(text: string): number {
  const ms = parseConfigDuration(text)
  if (!ms) throw new InvalidArgumentError('expected a duration such as 30m, 2h or 3d')
  return ms
}

function toTime(text: string): number {
  // A time without a time zone would depend on the machine.
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  // Date.parse would take 31 February for 3 March.
  const isDay = day !== undefined && new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day)
  const result = isDay ? Date.parse(`${day}${time ?? 'T00:00Z'}`) : Number.NaN
  if (Number.isNaN(result))
    throw new InvalidArgumentError('expected a time such as 2026-06-17T14:00:00Z, or a day such as 2026-06-17')
  return result
}
