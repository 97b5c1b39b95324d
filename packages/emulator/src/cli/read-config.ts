import { readFile } from 'node:fs/promises'
import { defined } from '@cdn/kit/defined'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { parseDocument } from 'yaml'
import type { EmulatorOptions } from '../emulator.ts'
import type { FaultChoice } from '../faults/choice.ts'
import type { FaultSchedule } from '../faults/schedule.ts'
import { validatorOf } from '../http/ajv.ts'
import type { ListenOptions } from '../http/listen.ts'
import { configSchema } from './schema.ts'

/** The configuration, from a file or the command line. */
export interface EmulatorConfig
  extends Pick<EmulatorOptions, 'seed' | 'clock' | 'variants' | 'traffic' | 'journalLimit'>,
    Pick<ListenOptions, 'port' | 'host' | 'allowHosts' | 'cors'> {
  /** Start of a virtual clock, in ISO 8601. */
  readonly start?: string
  /** `true` for a self-signed certificate, or the paths of PEM files. */
  readonly tls?: boolean | { readonly key: string; readonly certificate: string }
  /** Path of a JSON or YAML file with collections, in the form of `GET /_emulator/state`. */
  readonly state?: string
  readonly faults?: readonly FaultChoice[]
  readonly schedules?: readonly FaultSchedule[]
}

/**
 * Reads a configuration file.
 *
 * @throws Error in one sentence if the file cannot be read, is not JSON, or does not match `configSchema`
 */
export async function readEmulatorConfig(file: string): Promise<EmulatorConfig> {
  const config = parse(file, await readText(file))
  const validate = validatorOf<EmulatorConfig>(configSchema, {})
  if (validate(config)) return config
  throw new Error(`Invalid configuration ${file}: ${describe(defined(validate.errors?.[0]))}`)
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

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`Invalid configuration ${file}: it is not JSON`, { cause })
  }
}

function describe({ instancePath, message = 'does not match its schema', params }: ErrorObject): string {
  const place = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.')
  if (params['additionalProperty'] !== undefined) return `${place} has an unknown key "${params['additionalProperty']}"`
  const permitted: readonly unknown[] | undefined = params['allowedValues']
  return `${place} ${permitted ? `must be one of ${permitted.map((value) => JSON.stringify(value)).join(', ')}` : message}`
}
