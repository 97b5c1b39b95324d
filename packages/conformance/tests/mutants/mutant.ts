import { operations } from '@cdn/api/contract'
import type { Emulator, Fault } from '@cdn/emulator'

/** A server under test, with the requirements that it breaks: a mutant has one mistake. A permitted variant breaks none. */
export interface ServerUnderTest {
  readonly id: string
  readonly text: string
  /** Ids of the broken requirements. Only a check of one of them can kill the mutant. */
  readonly breaks: readonly string[]
  /** `x-name`s of the operations that show the mistake; all by default. */
  readonly operations?: readonly string[]
  readonly at?: string
  apply(emulator: Emulator): void
}

/** Wraps the platform's handling of a call. Each emulator gets a new instance that remembers nothing. */
export interface Behaviour {
  (emulator: Emulator): Fault['around']
  /** `x-name`s of the altered operations; all by default. */
  readonly operations?: readonly string[]
}

/** Makes a mutant from a wrong behaviour. */
export function mutant(id: string, text: string, breaks: readonly string[], behaviour: Behaviour): ServerUnderTest {
  const { operations } = behaviour
  return {
    id,
    text,
    breaks: [...new Set(breaks)],
    ...(operations && { operations }),
    at: callerOf(new Error().stack),
    apply: (emulator) => void emulator.faults.add({ name: id, text, around: behaviour(emulator) }),
  }
}

/** The first place of a stack that is not in this file: file and line. */
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
export function on(names: readonly string[], behaviour: Behaviour): Behaviour {
  const unknown = names.find((name) => !operations.some((operation) => operation.name === name))
  if (unknown !== undefined) throw new Error(`the contract has no operation ${unknown}`)
  const limited = (emulator: Emulator): Fault['around'] => {
    const around = behaviour(emulator)
    return (call, operation, next) =>
      names.includes(operation.name) ? around(call, operation, next) : next(call, operation)
  }
  return Object.assign(limited, { operations: names })
}

/** Makes a mutant that also serves requests that no operation of the contract has. */
export const beyond = (
  id: string,
  text: string,
  breaks: string,
  serve: (request: Request, emulator: Emulator) => void,
): ServerUnderTest => ({
  ...mutant(id, text, [breaks], () => (call, operation, next) => next(call, operation)),
  apply: (emulator) => {
    const { fetch: send } = emulator
    const faulty: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      serve(request, emulator)
      return send(request)
    }
    Object.assign(emulator, { fetch: faulty })
  },
})
