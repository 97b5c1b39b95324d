import { readFile } from 'node:fs/promises'
import { defined } from '@cdn/kit/defined'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { parseDocument } from 'yaml'
import type { EmulatorOptions } from '../emulator.ts'
import type { FaultChoice } from '../faults/choice.ts'
import type { FaultSchedule } from '../faults/schedule.ts'
import type { ListenOptions } from '../http/listen.ts'
import { checked } from '../platform/validation.ts'
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
