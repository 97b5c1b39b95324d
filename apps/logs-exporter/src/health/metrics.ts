import type { Observer } from '@cdn/api'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { Shard } from '../config/config.ts'
import { type Observe, observeWith } from '../engine/events.ts'
import type { Segment } from '../segments/segment.ts'
import type { HealthOptions } from './health.ts'

const prefix = 'cdn_logs_exporter_'

/** The metrics of a process, and the observers that update them. */
export interface Metrics {
  readonly registry: Registry
  readonly observe: Observe
  /** Observes the calls of the logging interface. */
  readonly requests: Observer
  /** Counts a repeated request. */
  onRetry(): void
}

/** Values that are computed at each scrape, so that they stay right even if no event arrives. */
export interface Sources extends Pick<HealthOptions, 'now' | 'positions' | 'clockOffset'> {
  /** Zones that this process works on. */
  held(): number
  isHealthy(): Promise<boolean>
  /** The shard of this exporter. */
  readonly shard?: Shard | undefined
}

/**
 * Creates the metrics. Lag and remaining time are computed at each scrape from the ledger and the clock. So they get worse while a
 * reader is dead.
 */
export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges that are named like counters. The gauges without the suffix hold the same numbers, by type.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers })
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    collect: (set: SetGauge<Label>) => void | Promise<void>,
    labelNames: readonly Label[] = [],
  ) =>
    new Gauge<Label>({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        // An unknown value must not be shown as 0. `reset` would set a gauge without labels to 0.
        if (labelNames.length > 0) this.reset()
        else this.remove()
        await collect((value, labels) => (labels ? this.set(labels, value) : this.set(value)))
      },
    })

  const rows = counter('rows_total', 'Rows in the sink.', ['source'])
  const bytes = counter('bytes_total', 'Stored bytes of segments.')
  const segments = counter('segments_total', 'Published segments, including revisions.')
  const windows = counter('windows_total', 'Windows read for the first time, including empty ones.')
  const revisions = counter('revisions_total', 'Published segments of late rows.')
  const rechecks = counter('rechecks_total', 'Rechecks of closed windows.', ['outcome'])
  const rechecksMissed = counter(
    'rechecks_missed_total',
    'Windows that passed the end of the retention before their recheck.',
  )
  const shrunkReads = counter('shrunk_reads_total', 'Reads that returned fewer rows than the sink has.')
  const missing = counter('shrunk_read_rows_total', 'Rows of the sink that shrunk reads did not return.')
  const rejects = counter('rejects_total', 'Rows in the reject files.')
  const refused = counter('refused_total', 'Rows that a collector permanently refused.')
  const replaced = counter('replaced_total', 'Values with a lone surrogate replaced by U+FFFD.')
  const gaps = counter('gaps_total', 'Lost ranges.')
  const gapSeconds = counter('gap_seconds_total', 'Length of the lost ranges.')
  const bulk = counter('bulk_reads_total', 'Reads of day files of version 1.', ['reason'])
  const failures = counter('failures_total', 'Failed cycles and rechecks, which are repeated.')
  const jumps = counter('clock_jumps_total', 'Clock changes of more than a minute while the exporter ran.')
  const repairs = counter('ledger_repairs_total', "Zones whose ledger held times in the platform's future.")
  const races = counter('segments_lost_total', 'Segments that another writer published first.')
  const requests = counter('requests_total', 'Requests to the logging interface, by response.', ['operation', 'status'])
  const limited = counter('rate_limited_total', '429 responses.')
  const retries = counter('retries_total', 'Repeated requests.')
  const waits = counter('waits_total', 'Requests that waited for the rate limit.')
  const waited = counter('wait_seconds_total', 'Time that requests waited for the rate limit.')

  gauge(
    'zone_lag_seconds',
    'Age of the oldest log that is not in the sink yet, including the allowed lateness.',
    async (set) => {
      const now = sources.now()
      for (const { zone, position } of await sources.positions())
        if (position !== undefined) set((now - position) / 1000, { zone })
    },
    ['zone'],
  )
  gauge(
    'zone_time_left_seconds',
    'Time until the deadline of the oldest open window.',
    async (set) => {
      const now = sources.now()
      for (const { zone, deadline } of await sources.positions())
        if (deadline !== undefined) set((deadline - now) / 1000, { zone })
    },
    ['zone'],
  )
  gauge(
    'build_info',
    'Always 1; the labels are the versions of the exporter and of Node.',
    (set) => set(1, { version: manifest.version, node: process.versions.node }),
    ['version', 'node'],
  )
  gauge(
    'shard',
    'Number of exporters that share the zones; the labels identify this one.',
    (set) => {
      const { index, of } = sources.shard ?? { index: 0, of: 1 }
      set(of, { index: String(index), of: String(of) })
    },
    ['index', 'of'],
  )
  gauge('zones_held', 'Zones in a cycle at this moment; not those that wait for their next cycle.', (set) =>
    set(sources.held()),
  )
  gauge('clock_offset_seconds', 'Clock of this machine minus the clock of the platform.', (set) => {
    const offset = sources.clockOffset()
    if (offset !== undefined) set(offset / 1000)
  })
  gauge('healthy', '1 if /healthz is green.', async (set) => set((await sources.isHealthy()) ? 1 : 0))

  function count(segment: Segment): void {
    segments.inc()
    rows.inc({ source: segment.source }, segment.rows)
    bytes.inc(segment.bytes)
  }

  return {
    registry,
    onRetry: () => retries.inc(),
    requests: {
      response({ operation }, { status }) {
        requests.inc({ operation, status: status === undefined ? 'none' : String(status) })
        if (status === 429) limited.inc()
      },
      wait(_, heldMs) {
        waits.inc()
        waited.inc(heldMs / 1000)
      },
    },
    observe: observeWith({
      window({ segment }) {
        windows.inc()
        if (segment) count(segment)
      },
      revision({ segment }) {
        revisions.inc()
        count(segment)
      },
      recheck: ({ outcome }) => rechecks.inc({ outcome }),
      'recheck-missed': () => rechecksMissed.inc(),
      'shrunk-read'(event) {
        shrunkReads.inc()
        missing.inc(event.missing)
      },
      rejects: (event) => rejects.inc(event.rows),
      refused: (event) => refused.inc(event.rows),
      replaced: (event) => replaced.inc(event.values),
      gap({ gap }) {
        gaps.inc()
        gapSeconds.inc((gap.to - gap.from) / 1000)
      },
      bulk: ({ reason }) => bulk.inc({ reason }),
      lost: () => races.inc(),
      failed: () => failures.inc(),
      clock({ jump }) {
        if (jump) jumps.inc()
      },
      repaired: () => repairs.inc(),
    }),
  }
}

type SetGauge<Label extends string> = (value: number, labels?: Record<Label, string>) => void
