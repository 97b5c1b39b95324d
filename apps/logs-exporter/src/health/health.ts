import { LoggingError } from '@cdn/api'
import type { Observe } from '../engine/events.ts'
import { isDamage } from '../engine/failure.ts'
import type { Coordinator } from '../fleet/coordinator.ts'
import type { ZonePosition } from './zone-position.ts'

/** What is wrong. The first kind is the process's own fault, and a restart may help; the others are for a person. */
export type ProblemKind = 'dead' | 'danger' | 'lost' | 'rejected' | 'failing' | 'starting'

export interface Problem {
  readonly kind: ProblemKind
  readonly text: string
}

/** Judges whether all is well. */
export interface Health {
  readonly observe: Observe
  /** Told when the shared database answered, and when it did not. */
  contact(isUp: boolean): void
  /** Watches the turns of a coordinator's zones. */
  watch(coordinator: Coordinator): Coordinator
  /** Everything that is wrong now; empty where all is well. */
  problems(): Promise<Problem[]>
  /** Zones in a turn. */
  held(): number
}

/** Of a zone; times of the clock that never goes back. */
interface Failure {
  readonly since: number
  readonly last: number
  readonly message: string
  /** It is of one window, and the zone goes on. */
  readonly isDamage: boolean
}

/** What the judgement rests on; times in ms. */
export interface HealthOptions {
  /** The clock of the platform. */
  now(): number
  positions(): Promise<readonly ZonePosition[]>
  /** A zone with less time left than this to its deadline is in danger. */
  readonly dangerMs: number
  /** A clock that never goes back; the process's own where absent. */
  readonly elapsed?: () => number
}

/** A turn ends after five minutes by itself, and a request that hangs after one; what lasts this long is dead. */
const longestTurn = 15 * 60_000
/** How long zones may be due without any turn before whoever gives the turns is dead. */
const longestIdle = 10 * 60_000
/** How long a zone may fail, or the shared database be away, before it counts. */
const patience = 5 * 60_000
/** How long a failure shows after which nothing was heard of its zone: by then another worker has it. A damaged window is tried again sooner. */
const failureShows = 15 * 60_000
/** How long health stays red after a range was lost, or rows were rejected, so that somebody sees it. */
const lostShows = 60 * 60_000

/**
 * Makes the judge of one process. It looks at what has not happened as well: a reader that says nothing any more is dead,
 * whatever the last thing was that it said.
 */
export function createHealth(options: HealthOptions): Health {
  const { now, dangerMs, elapsed = () => performance.now() } = options
  const turns = new Map<string, number>()
  const dues = new Map<string, number>()
  const failing = new Map<string, Failure>()
  const rejected = new Map<string, number>()
  let rejectedAt: number | undefined
  const failedNow = new Set<string>()
  let lostAt: number | undefined
  let lastTurn = elapsed()
  const begun = now()
  let hasTurned = false
  let awaySince: number | undefined

  function observe(event: Parameters<Observe>[0]): void {
    const zone = 'zone' in event ? event.zone : 'window' in event ? event.window.zone : undefined
    if (zone !== undefined && turns.has(zone)) turns.set(zone, elapsed()) // a sign of life
    if (event.type === 'gap') lostAt = elapsed()
    if (event.type === 'failed') {
      failedNow.add(event.zone)
      const before = failing.get(event.zone)
      const since = before && showsStill(before) ? before.since : elapsed()
      failing.set(event.zone, {
        since,
        last: elapsed(),
        message: messageOf(event.error),
        isDamage: isDamage(event.error),
      })
    }
    if (event.type === 'position') rejected.delete(event.zone)
    if (event.type === 'rejects') rejected.set(event.zone, (rejected.get(event.zone) ?? 0) + event.rows)
    if (event.type === 'window') {
      if ((rejected.get(event.window.zone) ?? 0) > (event.segment?.rows ?? 0)) rejectedAt = elapsed()
      rejected.delete(event.window.zone)
    }
    if (event.type === 'turn' || event.type === 'fenced') {
      // A turn that is well says nothing of a damaged window, which waits for its own.
      const failure = failing.get(event.zone)
      if (!failedNow.delete(event.zone) && !(failure?.isDamage && showsStill(failure))) failing.delete(event.zone)
      if (event.type === 'turn') hasTurned = true
      lastTurn = elapsed()
    }
  }

  function showsStill({ last }: Failure): boolean {
    return elapsed() - last < failureShows
  }

  function dead(zones: readonly ZonePosition[]): Problem[] {
    const time = elapsed()
    const stuck = [...turns].filter(([, since]) => time - since > longestTurn).map(([zone]) => zone)
    if (stuck.length > 0) return [{ kind: 'dead', text: `The turn of ${listed(stuck)} does not end.` }]
    if (turns.size > 0 || time - lastTurn < longestIdle) return []
    const waiting = zones.filter(({ zone, due }) => now() - (due ?? dues.get(zone) ?? begun) > longestIdle)
    if (waiting.length === 0) return []
    return [{ kind: 'dead', text: `Nobody reads ${listed(waiting.map(({ zone }) => zone))}.` }]
  }

  function inDanger(zones: readonly ZonePosition[]): Problem[] {
    const limit = now() + dangerMs
    const near = zones.filter(({ deadline }) => deadline !== undefined && deadline < limit).map(({ zone }) => zone)
    if (near.length === 0) return []
    return [
      { kind: 'danger', text: `The oldest logs of ${listed(near)} are near the end of the retention and not read.` },
    ]
  }

  return {
    observe,
    contact(isUp) {
      awaySince = isUp ? undefined : (awaySince ?? elapsed())
    },
    watch: (coordinator) => ({
      async claim(signal) {
        const lease = await coordinator.claim(signal)
        if (lease) turns.set(lease.zone, elapsed())
        return lease
      },
      async release(lease, nextDue, deadline) {
        turns.delete(lease.zone)
        dues.set(lease.zone, nextDue)
        await coordinator.release(lease, nextDue, deadline)
      },
      close: () => coordinator.close(),
    }),
    held: () => turns.size,
    async problems() {
      const time = elapsed()
      const found: Problem[] = []
      try {
        const zones = await options.positions()
        found.push(...dead(zones), ...inDanger(zones))
      } catch (error) {
        found.push(...dead([]), { kind: 'failing', text: `The ledger cannot be read: ${messageOf(error)}` })
      }
      if (lostAt !== undefined && time - lostAt < lostShows)
        found.push({ kind: 'lost', text: 'A range was lost within the last hour; status names it.' })
      if (rejectedAt !== undefined && time - rejectedAt < lostShows) {
        const text =
          'Most rows of a window were rejected within the last hour; the reject files have them, with the reason.'
        found.push({ kind: 'rejected', text })
      }
      const long = [...failing].filter(([, failure]) => time - failure.since > patience && showsStill(failure))
      const [first] = long
      if (first)
        found.push({
          kind: 'failing',
          text: `${listed(long.map(([zone]) => zone))} cannot be exported: ${first[1].message}`,
        })
      if (awaySince !== undefined && time - awaySince > patience)
        found.push({ kind: 'failing', text: 'The database of the fleet does not answer.' })
      if (!hasTurned) found.push({ kind: 'starting', text: 'No zone has had its turn yet.' })
      return found
    },
  }
}

/** `zone 1`, `zones 1, 2 and 7 more`. */
function listed(zones: readonly string[]): string {
  const shown = zones.slice(0, 10).join(', ')
  const more = zones.length > 10 ? ` and ${zones.length - 10} more` : ''
  return `${zones.length === 1 ? 'zone' : 'zones'} ${shown}${more}`
}

function messageOf(error: unknown): string {
  if (error instanceof LoggingError && (error.status === 401 || error.status === 403))
    return 'the credential or the zone is refused.'
  return error instanceof Error ? error.message : String(error)
}
