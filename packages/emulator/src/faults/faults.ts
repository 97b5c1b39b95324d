import type { Operation } from '@cdn/api/contract'
import type { Clock } from '../clock.ts'
import { createTrigger, type FaultChoice, type Trigger } from './choice.ts'
import type { Fault } from './fault.ts'
import { createSchedule, type FaultSchedule } from './schedule.ts'

/** The faults that are on. They hit requests to operations of the contract, never the control interface. */
export interface Faults {
  /**
   * Switches a fault on; the function it gives switches it off again.
   *
   * @throws RangeError in one sentence where there is no such fault, operation or number
   */
  add(fault: FaultChoice): () => void
  /**
   * Switches faults on for some requests; the function it gives switches them off again.
   *
   * @throws RangeError in one sentence where the plan cannot be followed
   */
  schedule(plan: FaultSchedule): () => void
  /** What is on, a schedule as one. */
  active(): readonly { readonly name: string; readonly text: string }[]
  clear(): void
}

/** Which faults hit a request to an operation, the one nearest to the caller last. Counts the request. */
export type Strike = (operation: Operation) => readonly Fault[]

const none: readonly Fault[] = []

/** No fault on. Where several are, the one added last is nearest to the caller. */
export function createFaults(clock: Clock): Faults & { readonly strike: Strike } {
  const triggers = new Set<Trigger>()
  const on = (trigger: Trigger) => {
    triggers.add(trigger)
    return () => void triggers.delete(trigger)
  }
  return {
    add: (fault) => on(createTrigger(fault)),
    schedule: (plan) => on(createSchedule(plan, clock)),
    active: () => [...triggers].map(({ name, text }) => ({ name, text })),
    clear: () => triggers.clear(),
    strike(operation) {
      if (triggers.size === 0) return none
      return [...triggers].flatMap((trigger) => {
        const struck = trigger.strike(operation)
        if (trigger.isSpent()) triggers.delete(trigger)
        return struck
      })
    },
  }
}
