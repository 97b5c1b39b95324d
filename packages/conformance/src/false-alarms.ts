import { createEmulator, type Variants, variantTable } from '@cdn/emulator'
import type { Check } from './check.ts'
import { sessionOn } from './in-process.ts'
import { createPlan } from './plan.ts'
import { runCheck } from './run-check.ts'

/** A right server: what it does where nobody says what it should. */
export interface RightServer {
  readonly name: string
  readonly variants: Partial<Variants>
}

/** A check that did not pass on a right server. */
export interface Alarm {
  readonly server: string
  readonly seed: number
  readonly check: string
  readonly message: string
}

/** What came out on right servers. */
export interface AlarmFigures {
  readonly results: number
  /** Failures and errors that accuse a right server. */
  readonly alarms: readonly Alarm[]
  /** Failures that only say that the supplement is wrong about this server. */
  readonly permitted: readonly Alarm[]
  /** Checks that had nothing to look at; none of them counts as passed. */
  readonly skipped: number
}

/** The right server as it comes, and with every other value of each permitted variant. */
export function rightServers(): RightServer[] {
  const others = Object.entries(variantTable).flatMap(([point, { values }]) =>
    values.slice(1).map((value) => ({ name: `${point}=${value}`, variants: { [point]: value } as Partial<Variants> })),
  )
  return [{ name: 'default', variants: {} }, ...others]
}

/** A right server with a value drawn for each variant. */
export function mixedServer(seed: number): RightServer {
  const draw = numbersFrom(seed)
  const chosen = Object.entries(variantTable).map(([point, { values }]) => [point, values[draw(values.length)]])
  return { name: `mixture ${seed}`, variants: Object.fromEntries(chosen) as Partial<Variants> }
}

/**
 * Runs all checks on right servers, in an order drawn from the seed. As on a live target they share one server, except
 * those that need a clock of their own.
 *
 * @param servers each is run with each seed
 * @param skip leaves checks out
 */
export async function findFalseAlarms(
  servers: readonly RightServer[],
  seeds: readonly number[],
  skip: (check: Check) => boolean = () => false,
): Promise<AlarmFigures> {
  const checks = createPlan().checks.filter((check) => !skip(check))
  const { signal } = new AbortController()
  const alarms: Alarm[] = []
  const permitted: Alarm[] = []
  let results = 0
  let skipped = 0
  for (const server of servers) {
    for (const seed of seeds) {
      const shared = await createEmulator({ seed, variants: server.variants })
      for (const check of shuffled(checks, seed)) {
        const own = check.needs.includes('virtual-clock')
        const emulator = own ? await createEmulator({ seed, variants: server.variants }) : shared
        const { result, breaches } = await runCheck(check, sessionOn(emulator), { signal })
        const { outcome, message = '' } = result
        const alarm = { server: server.name, seed, check: check.id, message }
        results++
        if (outcome === 'skip') skipped++
        else if (outcome !== 'pass') (accuses(check, server, outcome) ? alarms : permitted).push(alarm)
        for (const { ground, id, message: breach } of breaches) {
          if (ground === 'document') alarms.push({ ...alarm, check: `${id} in ${check.id}`, message: breach })
        }
      }
    }
  }
  return { results, alarms, permitted, skipped }
}

/** Through the document alone nothing may fail; through the supplement only where the server differs from it. */
function accuses({ through }: Check, { variants }: RightServer, outcome: string): boolean {
  return outcome === 'error' || through === 'document' || Object.keys(variants).length === 0
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const draw = numbersFrom(seed)
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = draw(last + 1)
    ;[order[last], order[other]] = [order[other] as T, order[last] as T]
  }
  return order
}

/** Integers below a bound from a seed (a linear congruential generator with the constants of Numerical Recipes). */
function numbersFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
