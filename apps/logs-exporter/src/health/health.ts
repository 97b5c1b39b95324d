import { retentionMs } from '@cdn/api'
import { messageOf } from '@cdn/kit/error-message'
import { plural } from '@cdn/kit/plural'
import { describeOffset } from '@cdn/kit/server-clock'
import { hourMs } from '@cdn/kit/time'
import { type EngineEvent, observeWith } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import type { OpenGap } from '../ledger/ledger.ts'
import { rangeText } from '../segments/segment.ts'

/** Kinds of problems. `dead` means that this process has failed, and a restart may help. `starting` ends by itself. The others need an operator. */
export type ProblemKind =
  | 'dead'
  | 'danger'
  | 'lost'
  | 'unread'
  | 'rejected'
  | 'failing'
  | 'stdout'
  | 'clock'
  | 'starting'

export interface Problem {
  readonly kind: ProblemKind
  readonly text: string
}

/** Progress of a zone. Times are in ms since 1970 by the platform's clock. */
export interface ZonePosition {
  readonly zone: string
  /** Start of the zone's oldest open window; undefined if the zone was never exported. */
  readonly position: number | undefined
  /** Time by which that window must be read. */
  readonly deadline: number | undefined
  /** Parts of its windows that cannot be read yet. */
  readonly unread: readonly OpenGap[]
}

/** Failures in a row: the times of the first and the last failure, and the last error. */
interface Failing {
  readonly since: number
  readonly last: number
  readonly error: Error
}

/** The state of a zone, derived from events. Times are from the monotonic clock. */
interface ZoneState {
  /** The last sign of life of its current cycle; undefined between cycles. */
  alive?: number | undefined
  /** When its next cycle is due. */
  due?: number
  /** The failures of its cycles. */
  failing?: Failing | undefined
  /** The failures of rechecks, by the start of their window. The success of another window does not end them. */
  readonly rechecks: Map<number, Failing>
  /** Whether the current cycle had a failure. */
  hasFailed?: boolean
  /** Rows since the last window that became dead letters. */
  rejects?: number
}

/** Inputs of the health checks. Times are in ms. */
export interface HealthOptions {
  /** The clock of the platform, since 1970. */
  now(): number
  positions(): Promise<readonly ZonePosition[]>
  /** This machine's clock minus the platform's, in ms; undefined until the platform's clock is known. */
  clockOffset(): number | undefined
  /** The exported zones; undefined until they are listed. Without zones, health expects no cycle. Only these zones can be failing. */
  zones(): readonly string[] | undefined
  readonly margin: number
  /** A monotonic clock; by default the clock of the process. */
  readonly elapsed?: () => number
}

/** A zone is in danger this long before its deadline, in ms: an operator needs time to react. With a large margin, the time is shorter. */
const dangerBeforeMs = 6 * hourMs
/** Maximum time without an event during a cycle, in ms. After it, the cycle counts as hanging. */
const maxCycleMs = 15 * 60_000
/** Maximum time without any cycle while zones are due, in ms. */
const maxIdleMs = 10 * 60_000
/** How long a zone or standard output may fail before health reports it, in ms. */
const failingAfterMs = 5 * 60_000
/**
 * How long the platform may refuse a zone before health reports it, in ms. A single refusal may come from a proxy, or from a zone that
 * is about to be paused.
 */
const refusedAfterMs = 60_000
/** How long health reports the last failure of a zone, in ms, unless a success ends it earlier. A damaged window is retried more often. */
const failureReportedMs = 15 * 60_000
/** How long health reports each problem of `rare`, in ms, so that an operator sees the report. */
const reportedMs = 60 * 60_000

const rare = {
  lost: 'A range was lost within the last hour: cdn-logs-exporter status names it.',
  rejected:
    'Most rows of a window became dead letters within the last hour: cdn-logs-exporter status names their files.',
  clock: 'A clock was set by more than a minute within the last hour.',
  ledger: "The ledger held times in the platform's future; it was corrected within the last hour.",
} as const

/**
 * Creates the health checks of a process. They also detect missing events: a process is dead if a cycle has no event for 15 minutes,
 * or if zones are due and no cycle begins for 10 minutes.
 */
export function createHealth(options: HealthOptions) {
  const { now, margin, elapsed = () => performance.now() } = options
  const dangerMs = Math.min(dangerBeforeMs, (retentionMs - margin) / 4)
  const begun = elapsed()
  const states = new Map<string, ZoneState>()
  let output: { readonly since: number; readonly message: string } | undefined
  const lastTimes = new Map<keyof typeof rare, number>()
  let lastCycle: number | undefined
  /** Whether a zone has read a window or finished a cycle. The first cycle of a new daemon takes minutes. */
  let isStarted = false

  function stateOf(zone: string): ZoneState {
    const state = states.get(zone) ?? { rechecks: new Map() }
    states.set(zone, state)
    return state
  }
  const isCurrent = ({ last }: Failing) => elapsed() - last < failureReportedMs
  function failedAgain(before: Failing | undefined, error: Error): Failing {
    const since = before && isCurrent(before) ? before.since : elapsed()
    return { since, last: elapsed(), error }
  }

  const handle = observeWith({
    gap: () => lastTimes.set('lost', elapsed()),
    clock: ({ jump }) => jump && lastTimes.set('clock', elapsed()),
    recovered: () => lastTimes.set('ledger', elapsed()),
    failed({ zone, error, recheck }) {
      const state = stateOf(zone)
      const { failing, rechecks } = state
      if (recheck) rechecks.set(recheck.from, failedAgain(rechecks.get(recheck.from), error))
      else Object.assign(state, { hasFailed: true, failing: failedAgain(failing, error) })
    },
    recheck: ({ window: { zone, from } }) => stateOf(zone).rechecks.delete(from),
    'recheck-missed': ({ window: { zone, from } }) => stateOf(zone).rechecks.delete(from),
    stdout() {
      output = undefined
    },
    'stdout-skipped'() {
      output = undefined
    },
    'stdout-failed'({ error: { message } }) {
      output = { since: output?.since ?? elapsed(), message }
    },
    position: ({ zone }) => Object.assign(stateOf(zone), { rejects: 0 }),
    rejects({ zone, rows }) {
      const state = stateOf(zone)
      state.rejects = (state.rejects ?? 0) + rows
    },
    window({ window: { zone }, segment }) {
      const state = stateOf(zone)
      isStarted = true
      if ((state.rejects ?? 0) > (segment?.rows ?? 0)) lastTimes.set('rejected', elapsed())
      Object.assign(state, { rejects: 0, failing: undefined })
    },
    cycle({ zone, waitMs }) {
      const state = stateOf(zone)
      const failing = state.hasFailed ? state.failing : undefined
      isStarted = true
      lastCycle = elapsed()
      Object.assign(state, { alive: undefined, due: lastCycle + waitMs, failing, hasFailed: false })
    },
  })

  const exported = () => options.zones() ?? []
  const busy = () => [...states].filter(([, { alive }]) => alive !== undefined)

  function dead(): string | undefined {
    const time = elapsed()
    const stuck = busy().filter(([, { alive = time }]) => time - alive > maxCycleMs)
    if (stuck.length > 0) return `The cycle of ${zonesText(stuck.map(([zone]) => zone))} does not end.`
    if (busy().length > 0 || time - (lastCycle ?? begun) < maxIdleMs) return undefined
    const waiting = exported().filter((zone) => time - (states.get(zone)?.due ?? begun) > maxIdleMs)
    return waiting.length > 0 ? `No cycle of ${zonesText(waiting)} begins.` : undefined
  }

  function inDanger(zones: readonly ZonePosition[]): string | undefined {
    const limit = now() + dangerMs
    const near = zones.filter(({ deadline }) => deadline !== undefined && deadline < limit).map(({ zone }) => zone)
    return near.length === 0
      ? undefined
      : `The oldest logs of ${zonesText(near)} are near the end of the retention and not exported.`
  }

  /** One sentence for each error that has lasted too long, with its zones. */
  function failing(): string[] {
    const long = exported().flatMap((zone) => {
      const { failing, rechecks = new Map<number, Failing>() } = states.get(zone) ?? {}
      const isLong = ({ since, error }: Failing) =>
        elapsed() - since > (isRefusal(error) ? refusedAfterMs : failingAfterMs)
      // A window is rechecked again only after ten minutes, so one failure does not show that its recheck keeps failing.
      const isRepeated = ({ since, last }: Failing) => last - since > failingAfterMs
      const reasons = new Set([
        ...(failing && isCurrent(failing) && isLong(failing) ? [`cannot be exported: ${failing.error.message}`] : []),
        ...[...rechecks.values()]
          .filter((each) => isCurrent(each) && isRepeated(each))
          .map(({ error }) => `cannot be rechecked: ${error.message}`),
      ])
      return [...reasons].map((text) => ({ zone, text }))
    })
    return [...Map.groupBy(long, ({ text }) => text)].map(
      ([text, of]) => `${zonesText(of.map(({ zone }) => zone))} ${text}`,
    )
  }

  function unread(zones: readonly ZonePosition[]): string | undefined {
    const open = zones.flatMap(({ zone, unread }) => unread.map((gap) => ({ zone, ...gap })))
    const [first] = open
    const more = open.length > 1 ? ` The command status names ${plural(open.length - 1, 'further range')}.` : ''
    return first && `zone ${first.zone} from ${rangeText(first)} cannot be read yet: ${first.reason}${more}`
  }

  return {
    observe(event: EngineEvent): void {
      const zone = 'zone' in event ? event.zone : 'window' in event ? event.window.zone : undefined
      const state = zone === undefined ? undefined : stateOf(zone)
      if (state && (state.alive !== undefined || event.type === 'begun')) state.alive = elapsed()
      handle(event)
    },
    /** All current problems; empty if the process is healthy. */
    async problems(): Promise<Problem[]> {
      const list: Problem[] = []
      const add = (kind: ProblemKind, text: string | false | undefined) => text && list.push({ kind, text })
      const addRare = (kind: ProblemKind, name: keyof typeof rare) =>
        add(kind, elapsed() - (lastTimes.get(name) ?? Number.NEGATIVE_INFINITY) < reportedMs && rare[name])
      add('dead', dead())
      try {
        const positions = await options.positions()
        add('danger', inDanger(positions))
        add('unread', unread(positions))
      } catch (error) {
        add('failing', `The ledger cannot be read: ${messageOf(error)}`)
      }
      addRare('lost', 'lost')
      addRare('rejected', 'rejected')
      for (const text of failing()) add('failing', text)
      if (output && elapsed() - output.since > failingAfterMs)
        add('stdout', `Standard output is behind: ${output.message}`)
      const offset = describeOffset(options.clockOffset() ?? 0)
      add('clock', offset && `The ${offset}; set it. The exporter uses the platform's clock.`)
      addRare('clock', 'clock')
      addRare('clock', 'ledger')
      add('starting', !options.zones() && 'The zones are not listed yet.')
      add('starting', !isStarted && exported().length > 0 && 'No zone has read a window yet.')
      return list
    },
  }
}

/** Lists zones for a message, with at most ten ids: `zone 1`, `zones 1, 2`. If there are others, the text ends with `and 7 more`. */
function zonesText(zones: readonly string[]): string {
  const shown = zones.slice(0, 10).join(', ')
  const more = zones.length > 10 ? ` and ${zones.length - 10} more` : ''
  return `${zones.length === 1 ? 'zone' : 'zones'} ${shown}${more}`
}
