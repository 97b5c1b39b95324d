import { type EngineEvent, observeWith } from '../engine/events.ts'
import { isDamage, isForbidden, isRefusal } from '../engine/failure.ts'
import { messageOf } from '../errors.ts'
import { describeOffset } from '../reader/server-clock.ts'

/** Kinds of problems. `dead` means that this process has failed, and a restart may help. The others need an operator. */
export type ProblemKind = 'dead' | 'danger' | 'lost' | 'rejected' | 'failing' | 'delivery' | 'clock' | 'starting'

export interface Problem {
  readonly kind: ProblemKind
  readonly text: string
}

/** Progress of a zone. Times are in ms since 1970 by the platform's clock. */
export interface ZonePosition {
  readonly zone: string
  /** Start of the zone's oldest open window; undefined if the zone was never exported. */
  readonly position: number | undefined
  /** That window must be read until this time. */
  readonly deadline: number | undefined
}

/** Failures of a zone in a row: the time of the first and the last one, from the monotonic clock, and the last error. */
interface Failing {
  readonly since: number
  readonly last: number
  readonly error: Error
}

/** Inputs of the health checks. Times are in ms. */
export interface HealthOptions {
  /** The clock of the platform, since 1970. */
  now(): number
  positions(): Promise<readonly ZonePosition[]>
  /** This machine's clock minus the platform's, in ms; undefined until the platform's is known. */
  clockOffset(): number | undefined
  /** Number of zones. If it is 0, no cycle is expected. */
  readonly zones: number
  /** A zone is in danger if its deadline is closer than this. */
  readonly dangerMs: number
  /** A monotonic clock; by default the one of the process. */
  readonly elapsed?: () => number
}

/** Maximum duration of a cycle. A cycle ends after five minutes, and requests time out after one, so a longer cycle hangs. */
const maxCycleMs = 15 * 60_000
/** Maximum time without any cycle while zones are due. */
const maxIdleMs = 10 * 60_000
/** How long a zone may fail before health reports it, unless the platform refuses it. */
const failingAfterMs = 5 * 60_000
/** How long health reports a failure if its zone has no further event. A damaged window is retried more often than this. */
const failureReportedMs = 15 * 60_000
/** How long health reports a lost range, rejected rows or a clock change, so that an operator sees the report. */
const reportedMs = 60 * 60_000

/**
 * Creates the health checks of a process. They also detect missing events. A reader that sends no events is dead, whatever its
 * last event was.
 */
export function createHealth(options: HealthOptions) {
  const { now, dangerMs, elapsed = () => performance.now() } = options
  const begun = elapsed()
  /** The last sign of life of each zone that has a cycle. */
  const cycles = new Map<string, number>()
  const dues = new Map<string, number>()
  const failing = new Map<string, Failing>()
  const failedNow = new Set<string>()
  const rejected = new Map<string, number>()
  const deliveries = new Map<string, { readonly since: number; readonly message: string }>()
  /** The last time of each rare event. */
  const last = new Map<'lost' | 'rejected' | 'clockSet' | 'repaired' | 'cycle', number>()
  const isCurrent = ({ last }: Failing) => elapsed() - last < failureReportedMs

  const handle = observeWith({
    gap: () => last.set('lost', elapsed()),
    clock: ({ jump }) => jump && last.set('clockSet', elapsed()),
    repaired: () => last.set('repaired', elapsed()),
    failed({ zone, error }) {
      failedNow.add(zone)
      const before = failing.get(zone)
      const since = before && isCurrent(before) ? before.since : elapsed()
      failing.set(zone, { since, last: elapsed(), error })
    },
    delivered: ({ delivery }) => deliveries.delete(delivery),
    'delivery-failed'({ delivery, error: { message } }) {
      const { since = elapsed() } = deliveries.get(delivery) ?? {}
      deliveries.set(delivery, { since, message })
    },
    position: ({ zone }) => rejected.delete(zone),
    rejects: ({ zone, rows }) => rejected.set(zone, (rejected.get(zone) ?? 0) + rows),
    window({ window: { zone }, segment }) {
      if (!isDamage(failing.get(zone)?.error)) failing.delete(zone)
      if ((rejected.get(zone) ?? 0) > (segment?.rows ?? 0)) last.set('rejected', elapsed())
      rejected.delete(zone)
    },
    cycle({ zone, waitMs }) {
      // A damaged window is retried separately, so a successful cycle of its zone does not clear it.
      const before = failing.get(zone)
      if (!failedNow.delete(zone) && !(before && isDamage(before.error) && isCurrent(before))) failing.delete(zone)
      cycles.delete(zone)
      dues.set(zone, elapsed() + waitMs)
      last.set('cycle', elapsed())
    },
  })

  function dead(zones: readonly ZonePosition[]): string | undefined {
    const time = elapsed()
    const stuck = [...cycles].filter(([, since]) => time - since > maxCycleMs).map(([zone]) => zone)
    if (stuck.length > 0) return `The cycle of ${listed(stuck)} does not end.`
    if (cycles.size > 0 || time - (last.get('cycle') ?? begun) < maxIdleMs) return undefined
    const waiting = zones.map(({ zone }) => zone).filter((zone) => time - (dues.get(zone) ?? begun) > maxIdleMs)
    return waiting.length > 0 ? `No cycle of ${listed(waiting)} begins.` : undefined
  }

  function inDanger(zones: readonly ZonePosition[]): string | undefined {
    const limit = now() + dangerMs
    const near = zones.filter(({ deadline }) => deadline !== undefined && deadline < limit).map(({ zone }) => zone)
    if (near.length === 0) return undefined
    return `The oldest logs of ${listed(near)} are near the end of the retention and not exported.`
  }

  function failingLong(): string | undefined {
    // A refusal is reported at once.
    const isLong = ({ since, error }: Failing) => isRefusal(error) || elapsed() - since > failingAfterMs
    const long = [...failing].filter(([, each]) => isLong(each) && isCurrent(each))
    const error = long[0]?.[1].error
    const message = isForbidden(error) ? 'the credential or the zone is refused.' : error?.message
    return error && `${listed(long.map(([zone]) => zone))} cannot be exported: ${message}`
  }

  return {
    observe(event: EngineEvent): void {
      const zone = 'zone' in event ? event.zone : 'window' in event ? event.window.zone : undefined
      if (zone !== undefined && (cycles.has(zone) || event.type === 'begun')) cycles.set(zone, elapsed()) // a sign of life
      handle(event)
    },
    /** Number of zones that have a cycle now. */
    held: () => cycles.size,
    /** All current problems; empty if the process is healthy. */
    async problems(): Promise<Problem[]> {
      const list: Problem[] = []
      const add = (kind: ProblemKind, text: string | false | undefined) => text && list.push({ kind, text })
      const addRecent = (kind: ProblemKind, time: number | undefined, text: string) =>
        add(kind, time !== undefined && elapsed() - time < reportedMs && text)
      try {
        const zones = await options.positions()
        add('dead', dead(zones))
        add('danger', inDanger(zones))
      } catch (error) {
        add('dead', dead([]))
        add('failing', `The ledger cannot be read: ${messageOf(error)}`)
      }
      addRecent('lost', last.get('lost'), 'A range was lost within the last hour; status names it.')
      addRecent('rejected', last.get('rejected'), manyRejects)
      add('failing', failingLong())
      for (const [name, { since, message }] of deliveries)
        add('delivery', elapsed() - since > failingAfterMs && `The delivery ${name} is behind: ${message}`)
      const offset = describeOffset(options.clockOffset() ?? 0)
      add('clock', offset && `The ${offset}, which the exporter uses; set it.`)
      addRecent('clock', last.get('clockSet'), 'A clock was set by more than a minute within the last hour.')
      addRecent('clock', last.get('repaired'), repaired)
      add('starting', !last.has('cycle') && options.zones > 0 && 'No zone has finished a cycle yet.')
      return list
    },
  }
}

const manyRejects =
  'Most rows of a window were rejected within the last hour; the reject files hold them, with the reason.'
const repaired = "The ledger held times in the platform's future; it was repaired within the last hour."

/** Lists zones for a message: `zone 1`, `zones 1, 2 and 7 more`. */
function listed(zones: readonly string[]): string {
  const shown = zones.slice(0, 10).join(', ')
  const more = zones.length > 10 ? ` and ${zones.length - 10} more` : ''
  return `${zones.length === 1 ? 'zone' : 'zones'} ${shown}${more}`
}
