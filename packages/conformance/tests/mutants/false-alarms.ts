import { createEmulator, type Variants, variantTable } from '@cdn/emulator'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { hourMs } from '@cdn/kit/time'
import { pointChecks } from '../../src/cases/unspecified/points.ts'
import { type Check, createPlan, runCheck, sessionOn } from '../../src/index.ts'
import { failureText } from '../../src/report/cause-text.ts'

/** A conformant server, described by its behaviour at unspecified points. */
export interface ConformantServer {
  readonly name: string
  readonly variants: Partial<Variants>
}

/** A check that failed on a conformant server, or ended in an error. */
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
  /** Failures that only show that the supplement is wrong about this server, because the server contradicts the supplement. */
  readonly permitted: readonly Alarm[]
  /** Skipped checks. None of them counts as passed. */
  readonly skipped: number
}

/** Returns the default server, and one server for each value of each permitted variant except its default. */
export function conformantServers(): ConformantServer[] {
  const others = Object.entries(variantTable).flatMap(([point, { values }]) =>
    values.slice(1).map((value) => ({ name: `${point}=${value}`, variants: { [point]: value } })),
  )
  return [{ name: 'default', variants: {} }, ...others]
}

/** Returns a conformant server with a random value for each variant, or only for each variant that the supplement does not state. */
export function mixedServer(seed: number, ofAll = true): ConformantServer {
  const draw = mulberry32(seed)
  const pick = (values: readonly unknown[]) => values[Math.floor(draw() * values.length)]
  const points = Object.entries(variantTable).filter(([, { source }]) => ofAll || !isStated(source))
  const chosen = points.map(([point, { values }]) => [point, pick(values)])
  return { name: `mixture ${seed}`, variants: Object.fromEntries(chosen) }
}

/** Whether the supplement is the source of a point, so that other values than the default contradict it. */
function isStated(source: string): boolean {
  return source.startsWith('supplement')
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
  const checks = [...createPlan().checks, ...pointChecks].filter((check) => !skip(check))
  const { signal } = new AbortController()
  const alarms: Alarm[] = []
  const permitted: Alarm[] = []
  let results = 0
  let skipped = 0
  for (const server of servers) {
    for (const seed of seeds) {
      const start = () => createEmulator({ seed, variants: server.variants })
      const share = async () => ({ emulator: await start(), shared: new Map() })
      let common = await share()
      const begun = common.emulator.clock.now()
      for (const check of shuffled(checks, seed)) {
        // Checks that wait move the clock of the emulator, and the rows that the other checks know get too old.
        if (common.emulator.clock.now().getTime() > begun.getTime() + 1.5 * hourMs) common = await share()
        const session = check.needs.includes('virtual-clock')
          ? sessionOn(await start())
          : { ...sessionOn(common.emulator), shared: common.shared }
        const { result, breaches } = await runCheck(check, session, { signal })
        const { outcome, message = '' } = result
        const alarm = { server: server.name, seed, check: check.id, message }
        results++
        if (outcome === 'skip') skipped++
        else if (outcome !== 'pass') (accuses(check, server, outcome) ? alarms : permitted).push(alarm)
        for (const { source, id, ...breach } of breaches) {
          if (source === 'spec' || !contradicts(server))
            alarms.push({ ...alarm, check: `${id} in ${check.id}`, message: failureText(breach) })
        }
      }
    }
  }
  return { results, alarms, permitted, skipped }
}

/** Whether an outcome is a false alarm: an error, or a failure, unless it shows that the supplement is wrong about this server. */
function accuses({ basis }: Check, server: ConformantServer, outcome: string): boolean {
  return outcome === 'error' || basis === 'spec' || !contradicts(server)
}

/** Whether a server contradicts the supplement at a point. */
function contradicts({ variants }: ConformantServer): boolean {
  return Object.entries(variantTable).some(([point, { source }]) => point in variants && isStated(source))
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const draw = mulberry32(seed)
  return items
    .map((item) => ({ item, place: draw() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
