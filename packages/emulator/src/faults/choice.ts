import { type Operation, operations } from '@cdn/api/contract'
import type { Fault } from './fault.ts'
import { type FaultKind, type FaultParameter, faultTable } from './fault-table.ts'

export type FaultName = keyof typeof faultTable

/** What every fault of the table can be given, beside its own numbers. */
export interface FaultLimits {
  /** `x-name` of the one operation that is hit; all where absent. */
  readonly operation?: string
  /** How many requests are hit before the fault ends by itself; no end where absent. */
  readonly times?: number
}

type Named<Name extends FaultName> = { readonly name: Name } & FaultLimits & {
    readonly [P in keyof (typeof faultTable)[Name]['parameters']]?: number
  }

/** A fault of one's own, or one of `faultTable` by its name, alone or with its numbers. */
export type FaultChoice =
  | Fault
  | FaultName
  | ({ readonly name: FaultName } & FaultLimits)
  | { [Name in FaultName]: Named<Name> }[FaultName]

/** Decides which faults hit a request; asked once for each, in the order in which they arrive. */
export interface Trigger {
  readonly name: string
  readonly text: string
  strike(operation: Operation): readonly Fault[]
  /** Whether it will never hit again. */
  isSpent(): boolean
}

const none: readonly Fault[] = []

/**
 * Makes a trigger of a choice. A fault of one's own is asked about every request.
 *
 * @param choice from a caller of the library, or JSON from the control interface
 * @throws RangeError in one sentence where there is no such fault, operation or number
 */
export function createTrigger(choice: unknown): Trigger {
  if (isFault(choice)) return { name: choice.name, text: choice.text, strike: () => [choice], isSpent: () => false }
  const { name, operation, times, ...numbers } = toNamed(choice)
  const kind = kindOf(name)
  if (operation !== undefined) checkOperation(operation)
  if (times !== undefined)
    readNumber('times', times, { text: '', otherwise: 1, least: 1, most: Number.MAX_SAFE_INTEGER })
  const fault: Fault = { name, text: kind.text, around: kind.create(readNumbers(name, kind, numbers)) }
  let left = times ?? Number.POSITIVE_INFINITY
  return {
    name,
    text: kind.text,
    strike(struck) {
      if (left === 0 || (operation !== undefined && struck.name !== operation)) return none
      left--
      return [fault]
    },
    isSpent: () => left === 0,
  }
}

/** @throws RangeError where the contract has no operation of that `x-name` */
export function checkOperation(name: unknown): void {
  const names = operations.map((operation) => operation.name)
  if (!names.includes(String(name)))
    throw new RangeError(`There is no operation ${JSON.stringify(name)}; there are ${names.join(', ')}`)
}

/**
 * @param name what the number is for, for the sentence
 * @throws RangeError where it is no number within the bounds
 */
export function readNumber(name: string, value: unknown, { otherwise, least, most }: FaultParameter): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw new RangeError(`${name} must be a number from ${least} to ${most}, not ${JSON.stringify(value)}`)
}

function isFault(choice: unknown): choice is Fault {
  return typeof choice === 'object' && choice !== null && 'around' in choice && typeof choice.around === 'function'
}

function toNamed(choice: unknown): { name: string; operation?: string; times?: number; [number: string]: unknown } {
  if (typeof choice === 'string') return { name: choice }
  if (typeof choice === 'object' && choice !== null && 'name' in choice && typeof choice.name === 'string')
    return choice as { name: string }
  throw new RangeError('A fault is chosen by its name, as in {"name": "latency", "ms": 500}')
}

function kindOf(name: string): FaultKind {
  const table: Readonly<Record<string, FaultKind>> = faultTable
  const kind = Object.hasOwn(table, name) ? table[name] : undefined
  if (!kind)
    throw new RangeError(`There is no fault ${JSON.stringify(name)}; there are ${Object.keys(table).join(', ')}`)
  return kind
}

function readNumbers(
  name: string,
  { parameters }: FaultKind,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, number>> {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(parameters, key))
  if (unknown !== undefined) {
    const known = ['operation', 'times', ...Object.keys(parameters)].join(', ')
    throw new RangeError(`The fault ${name} takes no ${JSON.stringify(unknown)}; it takes ${known}`)
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([key, parameter]) => [key, readNumber(key, given[key], parameter)]),
  )
}
