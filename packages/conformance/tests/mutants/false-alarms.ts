import { createEmulator, type Variants, variantTable } from '@cdn/emulator'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { type Check, createPlan, runCheck, sessionOn } from '../../src/index.ts'
import { failureText } from '../../src/report/cause-text.ts'

/** A conformant server, described by its behaviour at unspecified points. */
export interface ConformantServer {
  readonly name: string
  readonly variants: Partial<Variants>
}

/** A check that did not pass on a conformant server. */
export interface Alarm {
  readonly server: string
  readonly seed: number
  readonly check: string
  readonly message: string
}

/** Totals over all conformant servers and seeds. */
export interface AlarmFigures {
  readonly results: number
  readonly alarms: readonly Alarm[]
  /** Failures that only show that the supplement is wrong about this server. */
  readonly permitted: readonly Alarm[]
  /** Skipped checks. None of them counts as passed. */
  readonly skipped: number
}

/** Returns the default server, and one server for each value of each permitted variant that is not a default. */
export function conformantServers(): ConformantServer[] {
  const others = Object.entries(variantTable).flatMap(([point, { values }]) =>
    values.slice(1).map((value) => ({ name: `${point}=${value}`, variants: { [point]: value } })),
  )
  return [{ name: 'default', variants: {} }, ...others]
}

/** Returns a conformant server with a random value for each variant. */
export function mixedServer(seed: number): ConformantServer {
  const draw = mulberry32(seed)
  const pick = (values: readonly unknown[]) => values[Math.floor(draw() * values.length)]
  const chosen = Object.entries(variantTable).map(([point, { values }]) => [point, pick(values)])
  return { name: `mixture ${seed}`, variants: Object.fromEntries(chosen) }
}

/**
 * Runs all checks on conformant servers, in a random order that depends on the seed. As on a live target, the checks share one
 * server, and the values that they make once. Only checks that need a virtual clock get a server of their own.
 *
 * @param servers the checks run on each server once per seed
 * @param skip selects checks to leave out
 */
export async function findFalseAlarms(
  servers: readonly ConformantServer[],
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
      const start = () => createEmulator({ seed, variants: server.variants })
      const [common, shared] = [await start(), new Map()]
      for (const check of shuffled(checks, seed)) {
        const session = check.needs.includes('virtual-clock')
          ? sessionOn(await start())
          : { ...sessionOn(common), shared }
        const { result, breaches } = await runCheck(check, session, { signal })
        const { outcome, message = '' } = result
        const alarm = { server: server.name, seed, check: check.id, message }
        results++
        if (outcome === 'skip') skipped++
        else if (outcome !== 'pass') (accuses(check, server, outcome) ? alarms : permitted).push(alarm)
        for (const { source, id, ...breach } of breaches) {
          if (source === 'spec') alarms.push({ ...alarm, check: `${id} in ${check.id}`, message: failureText(breach) })
        }
      }
    }
  }
  return { results, alarms, permitted, skipped }
}

/**
 * Whether an outcome is a false alarm. An error always is. A failure of a check with the basis spec is one, too. A failure of a
 * check with the basis supplement is permitted if the server differs from the defaults, which follow the supplement.
 */
function accuses({ basis }: Check, { variants }: ConformantServer, outcome: string): boolean {
  return outcome === 'error' || basis === 'spec' || Object.keys(variants).length === 0
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const draw = mulberry32(seed)
  return items
    .map((item) => ({ item, place: draw() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
