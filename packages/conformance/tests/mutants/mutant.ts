import { operations } from '@cdn/api/contract'
import type { Emulator, Fault } from '@cdn/emulator'

/** A server under test, with the requirements that it breaks: a mutant has one mistake. A permitted variant breaks none. */
export interface ServerUnderTest {
  /** Names what is wrong. */
  readonly id: string
  /** Ids of the broken requirements. Only a check of one of them can kill the mutant. */
  readonly breaks: readonly string[]
  /** `x-name`s of the operations that show the mistake; all by default. */
  readonly operations?: readonly string[]
  /** File and line that define the mutant. */
  readonly at?: string
  apply(emulator: Emulator): void
}

/** Wraps the platform's handling of a call. Each emulator gets a new instance that remembers nothing. */
export interface Behaviour {
  (emulator: Emulator): Fault['around']
  /** `x-name`s of the altered operations; all by default. */
  readonly operations?: readonly string[]
}

/** Makes a mutant from a wrong behaviour, and records the file and line of the caller. */
export function mutant(id: string, breaks: readonly string[], behaviour: Behaviour): ServerUnderTest {
  const { operations } = behaviour
  return {
    id,
    breaks: [...new Set(breaks)],
    ...(operations && { operations }),
    at: callerOf(new Error().stack),
    apply: (emulator) => void emulator.faults.add({ name: id, text: id, around: behaviour(emulator) }),
  }
}

/** Mutants by what is wrong with them: the broken requirements, separated by spaces, and the behaviour. */
export type Table = Readonly<Record<string, readonly [breaks: string, behaviour: Behaviour]>>

/**
 * Makes the mutants of a table.
 *
 * @param of the interface, or the operation, whose requirements are named by the ends of their ids. A name that begins with an
 *   interface is a whole id.
 */
export function mutantsOf(of: string, rows: Table): ServerUnderTest[] {
  const whole = (end: string) => (/^(logging|management)\./.test(end) ? end : `${of}.${end}`)
  return Object.entries(rows).map(([id, [breaks, behaviour]]) => mutant(id, breaks.split(' ').map(whole), behaviour))
}

/** Returns file and line of the first frame of a stack that is not in this file. */
function callerOf(stack = ''): string {
  const places = [...stack.matchAll(/(?:file:\/\/)?(\/[^\s()]+:\d+):\d+/g)].map(([, place = '']) => place)
  return places.find((place) => !/\/mutant\.ts:/.test(place)) ?? ''
}

/**
 * Limits a behaviour to some operations.
 *
 * @param names `x-name`s of the operations
 * @throws Error if the contract lacks one of them; otherwise a mutant could become ineffective without notice
 */
export function onOperations(names: readonly string[], behaviour: Behaviour): Behaviour {
  const unknown = names.find((name) => !operations.some((operation) => operation.name === name))
  if (unknown !== undefined) throw new Error(`the contract has no operation ${unknown}`)
  const limited = (emulator: Emulator): Fault['around'] => {
    const around = behaviour(emulator)
    return (call, operation, next) =>
      names.includes(operation.name) ? around(call, operation, next) : next(call, operation)
  }
  return Object.assign(limited, { operations: names })
}

/**
 * Makes a mutant that also handles requests that match no operation of the contract.
 *
 * @param serve may return another request, which the platform handles instead
 */
export const withAnyRequest = (
  id: string,
  breaks: readonly string[],
  serve: (request: Request, emulator: Emulator) => Request | undefined,
): ServerUnderTest => ({
  ...mutant(id, breaks, () => (call, operation, next) => next(call, operation)),
  apply: (emulator) => {
    const { fetch: send } = emulator
    const faulty: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      return send(serve(request, emulator) ?? request)
    }
    Object.assign(emulator, { fetch: faulty })
  },
})
