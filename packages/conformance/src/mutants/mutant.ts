import { operations } from '@cdn/api/contract'
import type { Emulator, Fault } from '@cdn/emulator'

/** A mistake that a server could make. What nobody states is no mistake: no mutant is a permitted variant. */
export interface Mutant {
  readonly id: string
  /** The mistake, in one sentence. */
  readonly text: string
  /** Ids of the requirements that are broken; only a check of one of these can kill the mutant. */
  readonly breaks: readonly string[]
  /** `x-name`s of the operations through which it can be seen; all where absent. */
  readonly operations?: readonly string[]
  apply(emulator: Emulator): void
}

/** Stands between the caller and the platform; made anew for each emulator, so that its memory begins there. */
export interface Behaviour {
  (emulator: Emulator): Fault['around']
  /** The operations that it alters, by `x-name`; all where absent. */
  readonly operations?: readonly string[]
}

/** Makes a mutant of a behaviour that goes wrong. */
export function mutant(id: string, text: string, breaks: readonly string[], behaviour: Behaviour): Mutant {
  const { operations } = behaviour
  return {
    id,
    text,
    breaks: [...new Set(breaks)],
    ...(operations && { operations }),
    apply: (emulator) => void emulator.faults.add({ name: id, text, around: behaviour(emulator) }),
  }
}

/**
 * A behaviour of some operations alone.
 *
 * @param names their `x-name`s; checked, so that no mutant goes stale in silence
 * @throws Error when the contract has no such operation
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
