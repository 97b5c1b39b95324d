import type { Operation } from '@cdn/api/contract'
import { createRandom } from '../platform/traffic/random.ts'
import type { Variants } from '../variants/variants.ts'
import { createTrigger, type FaultChoice, type Trigger } from './choice.ts'
import type { Fault } from './fault-table.ts'

/** The active faults. They affect requests to operations of the contract, never the control interface. */
export interface Faults {
  /**
   * Activates a fault. The returned function deactivates it.
   *
   * @throws RangeError in one sentence if a fault, an operation or a parameter is unknown or out of range
   */
  add(fault: FaultChoice): () => void
  /** The active faults. */
  active(): readonly { readonly name: string; readonly text: string }[]
  clear(): void
}

/** Counts a request to an operation and returns the faults that affect the request. The last one is nearest to the caller. */
export type SelectFaults = (operation: Operation) => readonly Fault[]

/** Creates an empty set of faults. If several faults are active, the one that was added last is nearest to the caller. */
export function createFaults(seed: number, variants: Variants): Faults & { readonly select: SelectFaults } {
  const triggers = new Set<Trigger>()
  let added = 0
  return {
    add(fault) {
      const trigger = createTrigger(fault, variants, createRandom(`faults ${seed} ${added++}`))
      triggers.add(trigger)
      return () => void triggers.delete(trigger)
    },
    active: () => [...triggers].map(({ name, text }) => ({ name, text })),
    clear: () => triggers.clear(),
    select(operation) {
      return [...triggers].flatMap((trigger) => {
        const selected = trigger.select(operation)
        if (trigger.isSpent()) triggers.delete(trigger)
        return selected
      })
    },
  }
}
