import type { Operation } from '@cdn/api/contract'
import { platformOperations } from '../platform/operations.ts'
import type { Variants } from '../variants/variants.ts'
import type { Fault } from './fault.ts'
import { type FaultKind, type FaultParameter, faultTable } from './fault-table.ts'

export type FaultName = keyof typeof faultTable

/** Options that every fault of the table takes, in addition to its own parameters. */
export interface FaultLimits {
  /** `x-name` of the operation to affect; all operations by default. */
  readonly operation?: string
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

/** Decides which faults affect a request. `select` is called once per request, in the order in which requests arrive. */
export interface Trigger {
  readonly name: string
  readonly text: string
  select(operation: Operation): readonly Fault[]
  /** Whether the trigger can never affect a request again. */
  isSpent(): boolean
}

const none: readonly Fault[] = []

/**
 * Creates a trigger from a choice. A custom fault affects every request.
 *
 * @param choice a value from a caller of the library, or JSON from the control interface
 * @throws RangeError in one sentence if a fault, an operation or a parameter is unknown or out of range
 */
export function createTrigger(choice: unknown, variants: Variants): Trigger {
  if (isFault(choice)) return { name: choice.name, text: choice.text, select: () => [choice], isSpent: () => false }
  const { name, operation, times, ...numbers } = toNamed(choice)
  const kind = kindOf(name)
  if (operation !== undefined) checkOperation(operation)
  if (times !== undefined)
    readNumber('times', times, { text: '', defaultValue: 1, min: 1, max: Number.MAX_SAFE_INTEGER, isCount: true })
  const fault: Fault = { name, text: kind.text, around: kind.create(readNumbers(name, kind, numbers), variants) }
  let left = times ?? Number.POSITIVE_INFINITY
  return {
    name,
    text: kind.text,
    select(requested) {
      if (left === 0 || (operation !== undefined && requested.name !== operation)) return none
      left--
      return [fault]
    },
    isSpent: () => left === 0,
  }
}

/** @throws RangeError if the contract has no operation with that `x-name` */
export function checkOperation(name: unknown): void {
  const names = platformOperations.map((operation) => operation.name)
  if (!names.includes(String(name)))
    throw new RangeError(`Unknown operation ${JSON.stringify(name)}: expected one of ${names.join(', ')}`)
}

/**
 * @param name name of the parameter, for the error message
 * @throws RangeError if the value is not a number within the bounds, or not an integer although it is a count
 */
export function readNumber(name: string, value: unknown, { defaultValue, min, max, isCount }: FaultParameter): number {
  if (value === undefined) return defaultValue
  if (typeof value === 'number' && value >= min && value <= max && (!isCount || Number.isInteger(value))) return value
  const kind = isCount ? 'an integer' : 'a number'
  throw new RangeError(`${name} must be ${kind} from ${min} to ${max}, not ${JSON.stringify(value)}`)
}

function isFault(choice: unknown): choice is Fault {
  return typeof choice === 'object' && choice !== null && 'around' in choice && typeof choice.around === 'function'
}

function toNamed(choice: unknown): { name: string; operation?: string; times?: number; [number: string]: unknown } {
  if (typeof choice === 'string') return { name: choice }
  if (typeof choice === 'object' && choice !== null && 'name' in choice && typeof choice.name === 'string')
    return { ...choice, name: choice.name }
  throw new RangeError('Invalid fault: expected a name and parameters, such as {"name": "latency", "ms": 500}')
}

function kindOf(name: string): FaultKind {
  const table: Readonly<Record<string, FaultKind>> = faultTable
  const kind = Object.hasOwn(table, name) ? table[name] : undefined
  if (!kind)
    throw new RangeError(`Unknown fault ${JSON.stringify(name)}: expected one of ${Object.keys(table).join(', ')}`)
  return kind
}

function readNumbers(
  name: string,
  { parameters }: FaultKind,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, number>> {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(parameters, key))
  if (unknown !== undefined) {
    const names = ['operation', 'times', ...Object.keys(parameters)].join(', ')
    throw new RangeError(`Unknown parameter ${JSON.stringify(unknown)} of the fault ${name}: expected one of ${names}`)
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([key, parameter]) => [key, readNumber(key, given[key], parameter)]),
  )
}
