/**
 * The oracle of the stories: derives what the engineer on call must see from the platform's faults and the events of each night. It shares
 * no code with the suite, and knows no checks.
 */
import type { FaultName } from './platform.ts'

/** What happens in a night. */
export interface Night {
  readonly faults: readonly FaultName[]
  readonly event?:
    | 'refused' // nothing listens
    | 'unknown-host'
    | 'gateway' // every answer is 502
    | 'wrong-key'
    | 'silent' // no answer ever
    | 'lost' // the receiver refuses the message
    | 'killed' // SIGKILL during the run
    | 'twice' // a second run starts meanwhile
    | 'full' // the disk of the reports is full
    | 'forgotten' // the memory was deleted before
    | 'cancelled' // the job did not start
}

/** What a night must leave. `undefined` in a field: nothing is required. */
export interface ExpectedNight {
  readonly exit: number | undefined
  /** Exit code of `status` afterwards. */
  readonly status: number
  /** Parts of the message, in any order; undefined if there is none. */
  readonly message: readonly string[] | undefined
  /** Faults that the message must not call new, fixed or still there. */
  readonly untold: readonly FaultName[]
  /** The faults whose issue is open, and those whose issue is closed. */
  readonly open: readonly FaultName[]
  readonly closed: readonly FaultName[]
  /** Faults that came back, so that their issue has the label `flaky`. */
  readonly flaky: readonly FaultName[]
  /** The states of the causes on the page across nights. */
  readonly page: Readonly<Partial<Record<FaultName, 'open' | 'fixed'>>>
  /** What the page of the last run must say. `as before`: this night must not change the page. */
  readonly verdict: 'green' | 'red' | 'none' | 'running' | 'as before'
}

/** How the texts name a fault. */
export const nameOf: Readonly<Record<FaultName, RegExp>> = {
  delete: /DELETE \/videolibrary\/\{[^}]*\}\/watermark: .*answered 500/,
  add: /POST \/pullzone\/\{[^}]*\}\/addAllowedReferrer: .*answered 500/,
  expired: /GET \/v2\/pullzones/,
  lenient: /DELETE \/videolibrary\/\{[^}]*\}\/watermark: (?!.*answered 500)/,
}

/** Events after which a run has no result. */
const outages = ['refused', 'unknown-host', 'gateway', 'wrong-key', 'silent', 'killed', 'cancelled']
/** Faults that a run sees only if it happens to send a request that shows them. */
const seldom: readonly FaultName[] = ['lenient']

/**
 * Creates the oracle of a story. `next` takes a night, whether a request that shows a rare fault arrived, and the index of the night.
 *
 * @param keeps whether a killed run is among the runs of the memory
 */
export function createOracle(keeps: boolean) {
  const open = new Map<FaultName, number>()
  const issues = new Map<FaultName, 'open' | 'closed'>()
  const known = new Map<FaultName, 'open' | 'fixed'>()
  const flaky = new Set<FaultName>()
  let undelivered: string[] = []
  let row = 0
  let hasRun = false
  let wasGreen = false
  let wasGood = false
  const next = ({ faults, event }: Night, exercised: boolean, index: number): ExpectedNight => {
    if (event === 'forgotten') {
      open.clear()
      known.clear()
      undelivered = []
      ;[row, hasRun, wasGreen, wasGood] = [0, false, false, false]
    }
    const state = () => ({
      open: [...issues].flatMap(([fault, is]) => (is === 'open' ? [fault] : [])),
      closed: [...issues].flatMap(([fault, is]) => (is === 'closed' ? [fault] : [])),
      page: Object.fromEntries(known),
      flaky: [...flaky],
    })
    if (event === 'cancelled')
      return {
        exit: undefined,
        status: wasGood ? 0 : 1,
        message: undefined,
        untold: [],
        ...state(),
        verdict: 'as before',
      }
    if (event === 'killed') {
      if (keeps) row++
      const before = wasGood
      wasGood = keeps ? false : before
      wasGreen = keeps ? false : wasGreen
      return {
        exit: 137,
        status: keeps ? 1 : before ? 0 : 1,
        message: undefined,
        untold: [],
        ...state(),
        verdict: 'running',
      }
    }
    if (event && outages.includes(event)) {
      row++
      ;[hasRun, wasGreen, wasGood] = [true, false, false]
      const count = row > 1 ? [`the ${row}${['th', 'st', 'nd', 'rd'][row] ?? 'th'} run in a row without a result`] : []
      const message = ['No check ran', ...count, ...undelivered]
      undelivered = []
      return {
        exit: 2,
        status: 1,
        message,
        untold: [...open.keys()].filter((one) => !faults.includes(one)),
        ...state(),
        verdict: 'none',
      }
    }
    const visible = faults.filter((fault) => !seldom.includes(fault) || exercised)
    const decided = (fault: FaultName) => !seldom.includes(fault) || exercised
    // A failing operation hides its other faults.
    const isHidden = (fault: FaultName) => fault === 'lenient' && faults.includes('delete')
    const seen = visible.filter((fault) => !isHidden(fault))
    const broke = seen.filter((fault) => !open.has(fault))
    const still = seen.filter((fault) => open.has(fault))
    const fixed = [...open.keys()].filter((fault) => !faults.includes(fault) && decided(fault) && !isHidden(fault))
    const undecided = [...open.keys()].filter((fault) => !seen.includes(fault) && !fixed.includes(fault))
    const isRed = seen.length > 0
    const isFull = event === 'full'
    const lines = [
      ...broke.map((fault) => `New: ${nameOf[fault].source}`),
      ...still.map((fault) => `Still: ${nameOf[fault].source}`),
      ...fixed.map((fault) => `Fixed: ${nameOf[fault].source}`),
    ]
    const isCalm = !isRed && wasGreen && hasRun && broke.length + fixed.length + undelivered.length === 0 && !isFull
    const title = isFull
      ? 'the disk is full'
      : isRed
        ? 'does not conform'
        : '(conforms|does not contradict|shows no failure)'
    let message: string[] | undefined = isCalm ? undefined : [title, ...lines, ...undelivered]
    if (isFull) {
      // Nothing could be written, so the next night knows nothing of this night.
      undelivered = []
      return { exit: 2, status: wasGood ? 0 : 1, message, untold: undecided, ...state(), verdict: 'as before' }
    }
    for (const fault of broke) {
      open.set(fault, index)
      if (known.has(fault)) flaky.add(fault)
    }
    for (const fault of seen) known.set(fault, 'open')
    for (const fault of fixed) {
      open.delete(fault)
      known.set(fault, 'fixed')
      if (issues.has(fault)) issues.set(fault, 'closed')
    }
    // Without a memory, the suite recognizes the issue of a repaired fault by its text, and closes it.
    for (const [fault, is] of issues)
      if (is === 'open' && !open.has(fault) && !faults.includes(fault) && decided(fault)) issues.set(fault, 'closed')
    for (const fault of seen) issues.set(fault, 'open')
    if (event === 'lost') {
      const told = [
        title,
        ...broke.map((fault) => `New: ${nameOf[fault].source}`),
        ...fixed.map((fault) => `Fixed: ${nameOf[fault].source}`),
      ]
      undelivered = message ? [...undelivered, ...told.map((line) => `Not delivered.*${line}`)] : undelivered
      message = undefined
    } else undelivered = []
    row = 0
    ;[hasRun, wasGreen, wasGood] = [true, !isRed, true]
    return { exit: isRed ? 1 : 0, status: 0, message, untold: undecided, ...state(), verdict: isRed ? 'red' : 'green' }
  }
  return { next }
}
