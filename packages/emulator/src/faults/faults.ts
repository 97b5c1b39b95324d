import type { Operation } from '@cdn/api/contract'
import { createRandom, type Random } from '../platform/traffic/random.ts'
import type { Variants } from '../variants/variants.ts'
import { type ActiveFault, type FaultChoice, readChoice } from './fault-choice.ts'
import type { Fault } from './fault-table.ts'

/** The active faults. They affect requests to operations of the contract, never the control interface. */
export interface Faults {
  /**
   * Activates a fault. The returned function deactivates it.
   *
   * @throws RangeError in one sentence if a fault, an operation or a parameter is unknown or out of range
   */
  add(fault: FaultChoice): () => void
  /** Returns the active faults in the order in which they were added. */
  active(): readonly { readonly name: string; readonly text: string }[]
  clear(): void
}

/** Draws and counts the faults that affect a request to an operation. The last fault of the result is nearest to the caller. */
export type SelectFaults = (operation: Operation) => readonly Fault[]

/** Creates an empty set of faults. If several faults are active, the one that was added last is nearest to the caller. */
export function createFaults(seed: number, variants: Variants): Faults & { readonly select: SelectFaults } {
  const active = new Map<ActiveFault, Random>()
  let added = 0
  return {
    add(choice) {
      const each = readChoice(choice, variants)
      active.set(each, createRandom(`faults ${seed} ${added++}`))
      return () => void active.delete(each)
    },
    active: () => [...active.keys()].map(({ fault: { name, text } }) => ({ name, text })),
    clear: () => active.clear(),
    select({ name }) {
      const selected: Fault[] = []
      for (const [each, random] of active) {
        if ((each.operation ?? name) !== name || !random.chance(each.share)) continue
        selected.push(each.fault)
        if (--each.left === 0) active.delete(each)
      }
      return selected
    },
  }
}
