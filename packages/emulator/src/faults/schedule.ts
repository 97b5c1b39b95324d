import type { Clock } from '../clock.ts'
import { createRandom } from '../traffic/random.ts'
import { checkOperation, createTrigger, type FaultChoice, readNumber, type Trigger } from './choice.ts'

/** A fault that begins at a point and lasts from there. */
export interface ScheduleStep {
  readonly fault: FaultChoice
  /** 0 is the first request after the schedule was switched on, or that moment. */
  readonly at: number
  /** How many requests, or milliseconds. */
  readonly for: number
}

/**
 * Which requests are hit: a share of them, drawn from a seed; or those that a list names, counted by requests or by the
 * milliseconds of the emulator's clock. The same requests in the same order are hit in every run.
 */
export type FaultSchedule = (
  | {
      readonly by: 'chance'
      /** From 0 to 1. */
      readonly share: number
      /** One of them is drawn for each request that is hit. */
      readonly faults: readonly FaultChoice[]
      /** 1 where absent. */
      readonly seed?: number
    }
  | { readonly by: 'requests' | 'clock'; readonly steps: readonly ScheduleStep[] }
) & {
  /** `x-name` of the one operation whose requests are counted and hit; all where absent. */
  readonly operation?: string
}

const unbounded = { text: '', otherwise: Number.NaN, least: 0, most: Number.MAX_SAFE_INTEGER }

/**
 * Makes a trigger of a schedule.
 *
 * @param given a `FaultSchedule`, or JSON from the control interface
 * @throws RangeError in one sentence where it is none
 */
export function createSchedule(given: unknown, clock: Clock): Trigger {
  const { by, operation, ...rest } = toRecord(given)
  if (operation !== undefined) checkOperation(operation)
  const strike = by === 'chance' ? byChance(rest) : bySteps(by, rest, clock)
  return {
    name: 'schedule',
    text: `Requests are hit by ${by}.`,
    strike: (struck) => (operation === undefined || struck.name === operation ? strike(struck) : []),
    isSpent: () => false,
  }
}

function byChance({ share, faults, seed = 1, ...rest }: Readonly<Record<string, unknown>>): Trigger['strike'] {
  refuseRest(rest)
  const bound = readNumber('share', share ?? null, { ...unbounded, most: 1 })
  const triggers = listOf('faults', faults).map(createTrigger)
  if (triggers.length === 0) throw new RangeError('A schedule by chance needs at least one fault')
  const random = createRandom(`faults ${readNumber('seed', seed, unbounded)}`)
  const fine = 1_000_000
  return (operation) => {
    // Both are drawn for every request, so that what hits one does not depend on those before it.
    const drawn = random.below(fine)
    const trigger = random.pick(triggers)
    return drawn < bound * fine ? trigger.strike(operation) : []
  }
}

function bySteps(by: unknown, { steps, ...rest }: Readonly<Record<string, unknown>>, clock: Clock): Trigger['strike'] {
  if (by !== 'requests' && by !== 'clock')
    throw new RangeError(`A schedule goes by "chance", "requests" or "clock", not by ${JSON.stringify(by)}`)
  refuseRest(rest)
  const spans = listOf('steps', steps).map((step) => {
    const { fault, at, for: length, ...other } = toRecord(step)
    refuseRest(other)
    const from = readNumber('at', at ?? null, unbounded)
    return { trigger: createTrigger(fault), from, to: from + readNumber('for', length ?? null, unbounded) }
  })
  const start = clock.now().getTime()
  let count = 0
  return (operation) => {
    const now = by === 'requests' ? count++ : clock.now().getTime() - start
    return spans.filter(({ from, to }) => from <= now && now < to).flatMap(({ trigger }) => trigger.strike(operation))
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  throw new RangeError(
    'A schedule is {"by": "chance", "share", "faults"} or {"by": "requests", "steps": [{"fault", "at", "for"}]}',
  )
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new RangeError(`A schedule needs ${name}, a list`)
}

function refuseRest(rest: Readonly<Record<string, unknown>>): void {
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new RangeError(`A schedule takes no ${JSON.stringify(unknown)}`)
}
