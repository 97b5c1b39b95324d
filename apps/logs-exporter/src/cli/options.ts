import { createCommand, once, runProgram, UsageError } from '@cdn/kit/command-line'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Config, Shard } from '../config/config.ts'
import { parseShard } from '../config/shard.ts'
import { isZoneId, parseListen } from '../config/values.ts'
import { ConfigurationError } from '../errors.ts'
import type { ExportRange } from '../segments/segment.ts'

/** The command to run, with the path of the configuration. */
export type ExporterCommand = Task & { readonly config: string; readonly shard: Shard | undefined }

/** A command with its options. */
export type CommandOf<Name extends Task['name']> = Extract<ExporterCommand, { readonly name: Name }>

/**
 * A command with its own options. `zones` are those of `--zone`; if there are none, the command takes all configured zones, and
 * `verify` also all zones in the sink. Without a range, `verify` checks everything in the sink. `again`: whether to read windows that
 * are already in the sink again, to find late rows.
 */
type Task = Readonly<
  | { name: 'run'; listen: Config['listen'] | undefined }
  | { name: 'config check' }
  | { name: 'status'; json: boolean }
  | { name: 'backfill'; zones: readonly string[]; range: ExportRange; again: boolean }
  | { name: 'verify'; zones: readonly string[]; range: ExportRange | undefined }
>

const exitCodes = `
cdn-logs-exporter --version prints the version. Exit codes: 0 done, 1 failed locally, 2 invalid configuration,
3 credentials refused, 6 data lost or a difference found, 130 interrupted.`

/**
 * Parses a command line.
 *
 * @param args without the paths of the runtime and the script
 * @param env `CDN_SHARD` is the default of `--shard`
 * @param write prints help
 * @returns the command, or the exit code if help was printed
 * @throws ConfigurationError with one sentence about an unknown, missing or contradictory option
 */
export async function parseCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<ExporterCommand | number> {
  let command: ExporterCommand | undefined
  const program = createCommand('cdn-logs-exporter', write)
    .description('Exports the request logs of pull zones; no row is lost or duplicated.')
    .addHelpText('after', exitCodes)
  const add = (name: string, description: string) =>
    createCommand(name, write)
      .description(description)
      .requiredOption('--config <file>', 'the configuration, YAML', once(toPath))
      .option('--shard <i/n>', 'only the zones of shard I of N (I starts at 0); default: CDN_SHARD', once(toShard))
  const addRanged = (name: string, description: string) =>
    add(name, description)
      .option('--zone <id>', 'only this pull zone; can be repeated', addZone)
      .option('--from <time>', 'start of the range, such as 2026-06-17T14:00:00Z', once(toTime))
      .option('--to <time>', 'end of the range, exclusive', once(toTime))
  const start = ({ config, shard }: { config: string; shard?: Shard | undefined }, task: Task) => {
    command = { ...task, config, shard: shard ?? shardOf(env) }
  }
  program
    .addCommand(
      add('run', 'export all zones of the configuration until you stop it')
        .option(
          '--listen <address>',
          'address of metrics and health; default: that of the configuration',
          once(toAddress),
        )
        .action((options) => start(options, { name: 'run', listen: options.listen })),
    )
    .addCommand(
      addRanged('backfill', 'export one range')
        .option('--again', 'also read windows again that are in the sink, and add late rows', false)
        .action(({ zone = [], again, ...options }) => {
          const range = toRange(options)
          if (!range) throw new ConfigurationError('backfill needs --from TIME and --to TIME.')
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
        .description('check the configuration')
        .addCommand(
          add('check', 'check the configuration, the secrets, the sink and the credential').action((options) =>
            start(options, { name: 'config check' }),
          ),
        ),
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

const shardForm = 'INDEX/COUNT with INDEX from 0 to COUNT - 1, such as 0/4'

function toShard(text: string): Shard {
  const shard = parseShard(text)
  if (!shard) throw new InvalidArgumentError(`expected ${shardForm}`)
  return shard
}

function shardOf({ CDN_SHARD: text }: NodeJS.ProcessEnv): Shard | undefined {
  if (!text) return undefined
  const shard = parseShard(text)
  if (shard) return shard
  throw new ConfigurationError(`The environment variable CDN_SHARD must be ${shardForm}, not ${JSON.stringify(text)}.`)
}

function toAddress(text: string): Config['listen'] {
  const address = parseListen(text)
  if (!address) throw new InvalidArgumentError('expected an address such as 127.0.0.1:9464')
  return address
}

function toRange({ from, to }: { from?: number | undefined; to?: number | undefined }): ExportRange | undefined {
  if (from === undefined && to === undefined) return undefined
  if (from === undefined || to === undefined) throw new ConfigurationError('--from and --to must be given together.')
  if (from >= to) throw new ConfigurationError('--from must be before --to.')
  return { from, to }
}

function toTime(text: string): number {
  // A time without a time zone would depend on the machine.
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  // Date.parse would take 31 February for 3 March.
  const isDay = day !== undefined && new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day)
  const time = isDay ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new InvalidArgumentError('expected a time such as 2026-06-17T14:00:00Z')
  return time
}
