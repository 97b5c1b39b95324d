import { createDueQueue } from '@cdn/logs-exporter/src/fleet/due-queue.ts'

/** A fleet on paper; times in ms. */
export interface FleetModel {
  readonly zones: number
  readonly workers: number
  /** Of all zones together. The n-th largest has a share of n to the power of -0.6: few large ones, and a long tail. */
  readonly rowsPerSecond: number
  /** What a turn costs a processor, without its rows. */
  readonly turnMs: number
  /** What a row costs a processor. */
  readonly rowMs: number
  /** How long the platform takes for an answer. */
  readonly requestMs: number
}

/** How it does in steady state. */
export interface ModelResult {
  /** How long after the oldest window of a turn has settled it is in the sink, in seconds. */
  readonly lagP50: number
  readonly lagP99: number
  /** Share of the workers' processors that is used. */
  readonly busy: number
  /** Whether some zones miss whole windows. */
  readonly fallsBehind: boolean
}

const minute = 60_000
const window = 5 * minute
/** Zones that a worker works on at a time. */
const parallel = 64
const page = 10_000
/** Of each of the looks (§7 of the design) one window is due whenever one has settled. */
const looks = 6
/** The platform gives 30 pages in 10 s. */
const leastPageMs = 10_000 / 30
const length = 2 * 60 * minute

/**
 * Lets a fleet work for two hours of virtual time: the exporter's own queue of zones, and workers that have one processor
 * and so many places each.
 */
export function modelFleet({ zones, workers, rowsPerSecond, turnMs, rowMs, requestMs }: FleetModel): ModelResult {
  const weights = Array.from({ length: zones }, (_, n) => (n + 1) ** -0.6)
  const sum = weights.reduce((a, b) => a + b, 0)
  const queue = createDueQueue()
  const position = new Float64Array(zones)
  // The zones' first windows are spread: workers do not begin all zones in one moment for ever.
  for (let zone = 0; zone < zones; zone++) queue.add(String(zone), (zone / zones) * window, 0)
  const free = Array.from({ length: workers * parallel }, (_, place) => ({ at: 0, place }))
  const processor = new Float64Array(workers)
  const lags: number[] = []
  let used = 0

  for (;;) {
    const slot = free.reduce((a, b) => (b.at < a.at ? b : a))
    const now = Math.max(slot.at, queue.nextDue() ?? 0)
    if (now > length) break
    const zone = Number(queue.take(now) ?? Number.NaN)
    if (Number.isNaN(zone)) {
      slot.at = now + 1
      continue
    }
    const start = position[zone] ?? 0
    const settled = Math.max(window, Math.floor(now / window) * window)
    const rows = ((weights[zone] ?? 0) / sum) * rowsPerSecond * ((settled - start) / 1000)
    const pages = Math.ceil(rows / page)
    const work = turnMs + rows * rowMs
    const worker = slot.place % workers
    const begun = Math.max(now, processor[worker] ?? 0)
    processor[worker] = begun + work
    used += work
    const answers = Math.max((pages + looks) * requestMs, pages * leastPageMs)
    slot.at = Math.max(begun + work, now + answers)
    position[zone] = settled
    if (now > length / 2) lags.push(slot.at - start - window)
    queue.add(String(zone), Math.max(slot.at, settled + window), settled)
  }
  lags.sort((a, b) => a - b)
  const at = (share: number) => Math.round((lags[Math.floor(share * (lags.length - 1))] ?? Number.NaN) / 1000)
  return {
    lagP50: at(0.5),
    lagP99: at(0.99),
    busy: Math.round((100 * used) / (workers * length)) / 100,
    fallsBehind: at(0.99) > (2 * window) / 1000,
  }
}
