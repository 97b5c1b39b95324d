import type { Schema } from '@cdn/api/contract'
import type { Clock } from '../platform/clock.ts'
import { createRandom } from '../platform/traffic/random.ts'
import { checked } from '../platform/validation.ts'
import type { Variants } from '../variants/variants.ts'
import { createTrigger, type FaultChoice, operationSchema, type Trigger } from './choice.ts'

/** A fault with a start and a length. */
export interface ScheduleStep {
  readonly fault: FaultChoice
  /** Start: the index of a request, or a time in milliseconds. Both count from 0 when the schedule is activated. */
  readonly at: number
  /** Length in requests or milliseconds. */
  readonly for: number
}

/**
 * Selects the affected requests: either a random share, drawn from a seed, or a list of steps. Steps are counted in requests or
 * in milliseconds of the emulator's clock. If two runs send the same requests in the same order and at the same times of the
 * clock, the schedule selects the same requests in both.
 */
export type FaultSchedule = (
  | {
      readonly by: 'chance'
      /** Share of affected requests, from 0 to 1. */
      readonly share: number
      /** One of these faults is drawn for each affected request. */
      readonly faults: readonly FaultChoice[]
      /** 1 by default. */
      readonly seed?: number
    }
  | { readonly by: 'requests' | 'clock'; readonly steps: readonly ScheduleStep[] }
) & {
  /** `x-name` of the operation whose requests are counted and affected; all operations by default. */
  readonly operation?: string
}

/** The ways to select requests. */
export const scheduleBy = { enum: ['chance', 'requests', 'clock'] }

const count = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const base = { by: scheduleBy, operation: operationSchema }
const anySchema: Schema = { type: 'object', required: ['by'], properties: base }
const chanceSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['share', 'faults'],
  properties: {
    ...base,
    share: { type: 'number', minimum: 0, maximum: 1 },
    faults: { type: 'array', minItems: 1 },
    seed: count,
  },
}
const step = {
  type: 'object',
  additionalProperties: false,
  required: ['fault', 'at', 'for'],
  properties: { fault: {}, at: count, for: count },
}
const stepsSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['steps'],
  properties: { ...base, steps: { type: 'array', items: step } },
}

/**
 * Creates a trigger from a schedule.
 *
 * @param input a `FaultSchedule`, or JSON from the control interface
 * @throws RangeError in one sentence if the input is not a valid schedule
 */
export function createSchedule(input: unknown, clock: Clock, variants: Variants): Trigger {
  const { by } = checked<FaultSchedule>(anySchema, input, 'schedule')
  const plan = checked<FaultSchedule>(by === 'chance' ? chanceSchema : stepsSchema, input, 'schedule')
  const select = plan.by === 'chance' ? byChance(plan, variants) : bySteps(plan, clock, variants)
  return {
    name: 'schedule',
    text: `Faults are scheduled by ${by}.`,
    select: (requested) => (plan.operation === undefined || requested.name === plan.operation ? select(requested) : []),
    isSpent: () => false,
  }
}

function byChance(
  { share, faults, seed = 1 }: Extract<FaultSchedule, { by: 'chance' }>,
  variants: Variants,
): Trigger['select'] {
  const triggers = faults.map((fault) => createTrigger(fault, variants))
  const random = createRandom(`faults ${seed}`)
  const fine = 1_000_000
  return (operation) => {
    // Both numbers are drawn for every request, so a request's faults depend only on the number of requests before it.
    const drawn = random.below(fine)
    const trigger = random.pick(triggers)
    return drawn < share * fine ? trigger.select(operation) : []
  }
}

function bySteps(
  { by, steps }: Exclude<FaultSchedule, { by: 'chance' }>,
  clock: Clock,
  variants: Variants,
): Trigger['select'] {
  const spans = steps.map(({ fault, at, for: length }) => ({
    trigger: createTrigger(fault, variants),
    from: at,
    to: at + length,
  }))
  const start = clock.now().getTime()
  let index = 0
  return (operation) => {
    const now = by === 'requests' ? index++ : clock.now().getTime() - start
    return spans.filter(({ from, to }) => from <= now && now < to).flatMap(({ trigger }) => trigger.select(operation))
  }
}
