import { operations, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { checkValue } from '../contract/validation.ts'
import type { Variants } from '../variants/variants.ts'
import { type Fault, type FaultKind, faultTable } from './fault-table.ts'

export type FaultName = keyof typeof faultTable

/** Options that every fault of the table takes, in addition to its own parameters. */
export interface FaultLimits {
  /** `x-name` of the operation to affect; all operations by default. */
  readonly operation?: string
  /** Share of the requests to affect, from 0 to 1, drawn from the emulator's seed; 1 by default. */
  readonly share?: number
  /** Number of requests to affect before the fault ends by itself; unlimited by default. */
  readonly times?: number
}

type Named<Name extends FaultName> = { readonly name: Name } & FaultLimits & {
    readonly [P in keyof (typeof faultTable)[Name]['parameters']]?: number
  }

/** A custom fault, or a fault of `faultTable` by its name, with or without parameters. */
export type FaultChoice =
  | Fault
  | FaultName
  | ({ readonly name: FaultName } & FaultLimits)
  | { [Name in FaultName]: Named<Name> }[FaultName]

/** An active fault, and the requests that it affects. */
export interface ActiveFault {
  readonly fault: Fault
  /** `x-name` of the only operation that the fault affects; undefined for all operations. */
  readonly operation?: string | undefined
  readonly share: number
  /** Number of requests that are still to be affected. */
  left: number
}

const operation = {
  enum: operations.map(({ name }) => name),
}
const share = { type: 'number', minimum: 0, maximum: 1 }
const times = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

/** The JSON schema of a choice by name, without the fault's own parameters. It ignores unknown keys. */
const choiceSchema: Schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { enum: Object.keys(faultTable) }, operation, share, times },
}

const table: Readonly<Record<string, FaultKind>> = faultTable

/** The complete JSON schema of a choice, by the name of the fault. It refuses unknown keys. */
const schemas = new Map(
  Object.entries(table).map(([name, { parameters }]): [string, Schema] => [
    name,
    {
      ...choiceSchema,
      additionalProperties: false,
      properties: { name: {}, operation, share, times, ...parameters },
    },
  ]),
)

/**
 * Reads a choice. A custom fault affects every request.
 *
 * @param choice a value from a caller of the library, or JSON from the control interface
 * @throws RangeError in one sentence if a fault, an operation or a parameter is unknown or out of range
 */
export function readChoice(choice: unknown, variants: Variants): ActiveFault {
  if (isFault(choice)) return { fault: choice, share: 1, left: Number.POSITIVE_INFINITY }
  const named = typeof choice === 'string' ? { name: choice } : choice
  const { name } = checkValue<{ name: FaultName }>(choiceSchema, named, 'fault')
  const { text, parameters, create } = assertDefined(table[name])
  const given = checkValue<FaultLimits & { name: string }>(assertDefined(schemas.get(name)), named, name)
  const { name: _, operation: only, times: left = Number.POSITIVE_INFINITY, share: part = 1, ...numbers } = given
  const defaults = Object.fromEntries(Object.entries(parameters).map(([key, each]) => [key, each.default]))
  const fault = { name, text, around: create({ ...defaults, ...numbers }, variants) }
  return { fault, operation: only, share: part, left }
}

function isFault(choice: unknown): choice is Fault {
  return typeof choice === 'object' && choice !== null && 'around' in choice && typeof choice.around === 'function'
}
