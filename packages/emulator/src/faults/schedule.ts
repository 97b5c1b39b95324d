import type { Clock } from '../platform/clock.ts'
import { createRandom } from '../platform/traffic/random.ts'
import type { Variants } from '../variants/variants.ts'
import { checkOperation, createTrigger, type FaultChoice, readNumber, type Trigger } from './choice.ts'

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

const unbounded = { text: '', defaultValue: Number.NaN, min: 0, max: Number.MAX_SAFE_INTEGER }

/**
 * Creates a trigger from a schedule.
 *
 * @param input a `FaultSchedule`, or JSON from the control interface
 * @throws RangeError in one sentence if the input is not a valid schedule
 */
export function createSchedule(input: unknown, clock: Clock, variants: Variants): Trigger {
  const { by, operation, ...rest } = toRecord(input)
  if (operation !== undefined) checkOperation(operation)
  const select = by === 'chance' ? byChance(rest, variants) : bySteps(by, rest, clock, variants)
  return {
    name: 'schedule',
    text: `Faults are scheduled by ${by}.`,
    select: (requested) => (operation === undefined || requested.name === operation ? select(requested) : []),
    isSpent: () => false,
  }
}

function byChance(
  { share, faults, seed = 1, ...rest }: Readonly<Record<string, unknown>>,
  variants: Variants,
): Trigger['select'] {
  refuseRest(rest)
  const bound = readNumber('share', share ?? null, { ...unbounded, max: 1 })
  const triggers = listOf('faults', faults).map((fault) => createTrigger(fault, variants))
  if (triggers.length === 0) throw new RangeError('A schedule by chance needs at least one fault')
  const random = createRandom(`faults ${readNumber('seed', seed, unbounded)}`)
  const fine = 1_000_000
  return (operation) => {
    // Both numbers are drawn for every request, so a request's faults depend only on the number of requests before it.
    const drawn = random.below(fine)
    const trigger = random.pick(triggers)
    return drawn < bound * fine ? trigger.select(operation) : []
  }
}

function bySteps(
  by: unknown,
  { steps, ...rest }: Readonly<Record<string, unknown>>,
  clock: Clock,
  variants: Variants,
): Trigger['select'] {
  if (by !== 'requests' && by !== 'clock')
    throw new RangeError(
      `Invalid "by" of a schedule: expected "chance", "requests" or "clock", not ${JSON.stringify(by)}`,
    )
  refuseRest(rest)
  const spans = listOf('steps', steps).map((step) => {
    const { fault, at, for: length, ...other } = toRecord(step)
    refuseRest(other)
    const from = readNumber('at', at ?? null, unbounded)
    return { trigger: createTrigger(fault, variants), from, to: from + readNumber('for', length ?? null, unbounded) }
  })
  const start = clock.now().getTime()
  let count = 0
  return (operation) => {
    const now = by === 'requests' ? count++ : clock.now().getTime() - start
    return spans.filter(({ from, to }) => from <= now && now < to).flatMap(({ trigger }) => trigger.select(operation))
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return { ...value }
  throw new RangeError(
    'Invalid schedule: expected {"by": "chance", "share", "faults"} or {"by": "requests", "steps": [{"fault", "at", "for"}]}',
  )
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new RangeError(`Missing ${name} in a schedule: expected a list`)
}

function refuseRest(rest: Readonly<Record<string, unknown>>): void {
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new RangeError(`Unknown key ${JSON.stringify(unknown)} in a schedule`)
}
