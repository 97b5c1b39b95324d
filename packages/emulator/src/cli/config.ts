import { readFile } from 'node:fs/promises'
import type { Schema } from '@cdn/api/contract'
import { createCommand, eachOf, once, oneOf, wholeNumber } from '@cdn/kit/command-line'
import { defined } from '@cdn/kit/defined'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { parseDocument } from 'yaml'
import type { EmulatorOptions } from '../emulator.ts'
import { choiceSchema, type FaultChoice } from '../faults/choice.ts'
import { type FaultSchedule, scheduleBy } from '../faults/schedule.ts'
import type { ListenOptions } from '../http/listen.ts'
import { trafficSchema } from '../platform/traffic/options.ts'
import { checked } from '../platform/validation.ts'
import { readVariant, variantsSchema } from '../variants/variants.ts'

/** The configuration, from a file or the command line. */
export interface EmulatorConfig
  extends Pick<EmulatorOptions, 'seed' | 'clock' | 'variants' | 'traffic' | 'journalLimit'>,
    Pick<ListenOptions, 'port' | 'host' | 'allowHosts' | 'cors'> {
  /** Start of a virtual clock, in ISO 8601. */
  readonly start?: string
  /** Path of a JSON or YAML file with collections, in the form of `GET /_emulator/state`. */
  readonly state?: string
  readonly faults?: readonly FaultChoice[]
  readonly schedules?: readonly FaultSchedule[]
}

const count = { type: 'integer', minimum: 1 }

/**
 * The JSON schema (2020-12) of a configuration file. Rules that a schema cannot express are checked when the emulator starts,
 * such as the parameters of a fault.
 */
export const configSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of cdn-emulator',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { description: 'Location of this schema, for editors.', type: 'string' },
    port: {
      description: 'Port of the management interface; logging is on the next one. 0 means two free ports.',
      type: 'integer',
      minimum: 0,
      maximum: 65_534,
      default: 0,
    },
    host: {
      description: 'Address to listen on; 0.0.0.0 means all.',
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
    },
    allowHosts: {
      description: 'Host names under which /_emulator/ is reached, in addition to host, localhost and IP addresses.',
      type: 'array',
      items: { type: 'string', minLength: 1 },
    },
    cors: { description: 'Whether pages of any origin may call the interfaces.', type: 'boolean', default: false },
    seed: { description: 'Seed of the traffic.', type: 'integer', minimum: 0, default: 1 },
    clock: {
      description: 'A virtual clock moves only when a request advances it.',
      enum: ['real', 'virtual'],
      default: 'real',
    },
    start: { description: 'Start of a virtual clock.', type: 'string', format: 'date-time' },
    journalLimit: { description: 'Maximum number of requests in the journal.', ...count, default: 10_000 },
    variants: variantsSchema,
    state: {
      description: 'JSON or YAML file with the items of collections, in the form of GET /_emulator/state.',
      type: 'string',
    },
    traffic: trafficSchema,
    faults: { description: 'Faults that are active from the start.', type: 'array', items: choiceSchema },
    schedules: {
      description: 'Fault schedules, in the form of POST /_emulator/faults/schedule.',
      type: 'array',
      items: { type: 'object', required: ['by'], properties: { by: scheduleBy } },
    },
  },
}

/**
 * Creates the command line.
 *
 * @param write prints help
 */
export function emulatorCommand(write: (text: string) => void) {
  return createCommand('cdn-emulator', write)
    .description('the platform in memory')
    .option(
      '--port <n>',
      'management interface on port n, logging on n + 1 (default: two free ports)',
      once(wholeNumber(0, 65_534)),
    )
    .option('--host <address>', 'address to listen on; 0.0.0.0 means all (default: 127.0.0.1)', once())
    .option(
      '--allow-host <name>',
      'host name under which /_emulator/ is reached, such as that of a container; repeatable',
      eachOf(String),
    )
    .option('--cors', 'allow requests from web pages of any origin')
    .option('--seed <n>', 'seed of the generated traffic (default: 1)', once(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .option(
      '--clock <kind>',
      'real or virtual: a virtual clock moves only by POST /_emulator/clock/advance (default: real)',
      once(oneOf(['real', 'virtual'] as const)),
    )
    .option(
      '--variant <name=value>',
      'behaviour at a point that the specification leaves open; repeatable',
      (text, before: readonly string[] = []) => [...before, text],
    )
    .option('--state <file>', 'JSON or YAML file with items, in the form of GET /_emulator/state', once())
    .option(
      '--config <file>',
      'JSON file with options, variants, traffic and faults; the command line overrides it',
      once(),
    )
    .option('--json', 'print one line of JSON when ready: addresses, credentials, fixtures')
    .addHelpText('after', footer)
}

const footer = `
The control interface under /_emulator/ on both ports reads and changes variants, faults, rows, traffic, the journal and the
clock. It requires no credentials: with --host, everybody who can reach the address controls the emulator.
The emulator runs until SIGINT or SIGTERM. Exit codes: 0 stopped, 1 did not stop in time, 2 did not start.`

/**
 * Returns the configuration: the options of the command line, and the file that `--config` names.
 *
 * @throws Error in one sentence if an option or the file is invalid
 */
export async function readConfiguration(
  options: ReturnType<ReturnType<typeof emulatorCommand>['opts']>,
): Promise<EmulatorConfig> {
  const { config: file, variant = [], allowHost, ...others } = options
  const { json: _, ...given } = others
  const fromFile = file === undefined ? {} : await readEmulatorConfig(file)
  const config: { [Name in keyof EmulatorConfig]: EmulatorConfig[Name] | undefined } = {
    ...given,
    ...(allowHost && { allowHosts: allowHost }),
    variants: Object.assign({}, fromFile.variants, ...variant.map(readVariant)),
  }
  // Commander leaves out what is not given.
  return { clock: 'real', ...fromFile, ...(config as EmulatorConfig) }
}

/**
 * Reads a configuration file.
 *
 * @throws Error in one sentence if the file cannot be read, is not JSON, or does not match `configSchema`
 */
export async function readEmulatorConfig(file: string): Promise<EmulatorConfig> {
  try {
    return checked<EmulatorConfig>(configSchema, JSON.parse(await readText(file)), 'config')
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new Error(`Invalid configuration ${file}: it is not JSON`, { cause })
    if (cause instanceof RangeError) throw new Error(`Invalid configuration ${file}: ${cause.message}`, { cause })
    throw cause
  }
}

/**
 * Reads a file with the state of an emulator. Integers keep all digits.
 *
 * @param file path of a JSON or YAML file
 * @throws Error in one sentence if the file cannot be read, or is not valid YAML. JSON is valid YAML
 */
export async function readStateFile(file: string): Promise<unknown> {
  const document = parseDocument(await readText(file), { intAsBigInt: true })
  const [fault] = document.errors
  if (fault)
    throw new Error(`Invalid state ${file}: ${fault.message.split('\n')[0]?.replace(/:$/, '')}`, { cause: fault })
  return parseJson(defined(stringifyJson(document.toJS())))
}

/**
 * Reads a file as text.
 *
 * @throws Error in one sentence if the file cannot be read
 */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    throw new Error(`Cannot read ${file}: ${reason}`, { cause })
  }
}
