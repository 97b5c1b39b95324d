import type { Observer } from '@cdn/api'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { Shard } from '../config/config.ts'
import { observeWith } from '../engine/events.ts'
import type { DeliveryLag } from '../ledger/ledger.ts'
import type { Segment } from '../segments/segment.ts'
import type { HealthOptions, ZonePosition } from './health.ts'

const prefix = 'cdn_logs_exporter_'

/** Values that are computed at each scrape, so that they stay right even if no event arrives. */
export interface Sources extends Pick<HealthOptions, 'now' | 'positions' | 'clockOffset'> {
  /** The segments that each delivery has not sent. */
  deliveries(): Promise<readonly DeliveryLag[]>
  /** Zones that this process works on. */
  held(): number
  /** Zones that the management interface lists as suspended, disabled or without logging. */
  paused(): number
  isHealthy(): Promise<boolean>
  readonly shard?: Shard | undefined
}

/** The counters: help text and labels. */
const counters = {
  rows_total: ['Rows in the sink.'],
  bytes_total: ['Stored bytes of segments.'],
  segments_total: ['Published segments, including revisions.'],
  windows_total: ['Windows read for the first time, including empty ones.'],
  revisions_total: ['Published segments of late rows.'],
  rechecks_total: ['Rechecks of closed windows.', 'outcome'],
  rechecks_missed_total: ['Windows that passed the end of the retention before their recheck.'],
  shrunk_reads_total: ['Reads that returned fewer rows than the sink has.'],
  shrunk_read_rows_total: ['Rows of the sink that shrunk reads did not return.'],
  rejects_total: ['Rows in the reject files.'],
  delivered_rows_total: ['Rows that a delivery sent, with those that its receiver refused.', 'delivery'],
  refused_total: ['Rows that the receiver of a delivery permanently refused.', 'delivery'],
  delivery_failures_total: ['Failed attempts of a delivery, which are repeated.', 'delivery'],
  replaced_total: ['Values with a lone surrogate replaced by U+FFFD.'],
  gaps_total: ['Lost ranges.'],
  gap_seconds_total: ['Length of the lost ranges.'],
  failures_total: ['Failed cycles and rechecks, which are repeated.'],
  clock_jumps_total: ['Clock changes of more than a minute while the exporter ran.'],
  ledger_repairs_total: ["Zones whose ledger held times in the platform's future."],
  segments_lost_total: ['Segments that another writer published first.'],
  requests_total: ['Requests to the logging interface, by response.', 'operation', 'status'],
  rate_limited_total: ['429 responses.'],
  retries_total: ['Repeated requests.'],
  waits_total: ['Requests that waited for the rate limit.'],
  wait_seconds_total: ['Time that requests waited for the rate limit.'],
} as const

type CounterName = keyof typeof counters

/** The values of a gauge, each with the values of its labels. An undefined value is not shown. */
type Values = readonly (readonly [value: number | undefined, ...labels: string[]])[]

interface GaugeOf {
  readonly help: string
  readonly labels?: readonly string[]
  read(): Values | Promise<Values>
}

/** The gauges, by name. They are read at each scrape. */
function createGauges(sources: Sources): Readonly<Record<string, GaugeOf>> {
  const { now, positions, deliveries, held, paused, isHealthy, clockOffset, shard = { index: 0, of: 1 } } = sources
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  const since = (time: number | undefined) => seconds(time === undefined ? undefined : now() - time)
  const perZone = (help: string, toValue: (zone: ZonePosition) => number | undefined): GaugeOf => {
    return { help, labels: ['zone'], read: async () => (await positions()).map((each) => [toValue(each), each.zone]) }
  }
  const perDelivery = (help: string, toValue: (lag: DeliveryLag) => number | undefined): GaugeOf => {
    const read = async (): Promise<Values> => (await deliveries()).map((each) => [toValue(each), each.delivery])
    return { help, labels: ['delivery'], read }
  }
  return {
    zone_lag_seconds: perZone(
      'Age of the oldest log that is not in the sink yet, including the allowed lateness.',
      ({ position }) => since(position),
    ),
    zone_time_left_seconds: perZone('Time until the deadline of the oldest open window.', ({ deadline }) =>
      seconds(deadline === undefined ? undefined : deadline - now()),
    ),
    delivery_lag_seconds: perDelivery(
      'Time since the end of the oldest window that a delivery has not sent; 0 without one.',
      ({ oldest }) => since(oldest) ?? 0,
    ),
    delivery_segments: perDelivery('Segments that a delivery has not sent yet.', ({ segments }) => segments),
    build_info: {
      help: 'Always 1; the labels are the versions of the exporter and of Node.',
      labels: ['version', 'node'],
      read: () => [[1, manifest.version, process.versions.node]],
    },
    shard: {
      help: 'Number of exporters that share the zones; the labels identify this one.',
      labels: ['index', 'of'],
      read: () => [[shard.of, String(shard.index), String(shard.of)]],
    },
    zones_held: {
      help: 'Zones in a cycle at this moment; not those that wait for their next cycle.',
      read: () => [[held()]],
    },
    zones_paused: {
      help: 'Zones with a matching name that are suspended, disabled or without logging, so they are not exported.',
      read: () => [[paused()]],
    },
    clock_offset_seconds: {
      help: 'Clock of this machine minus the clock of the platform.',
      read: () => [[seconds(clockOffset())]],
    },
    healthy: { help: '1 if /healthz is green.', read: async () => [[(await isHealthy()) ? 1 : 0]] },
  }
}

/**
 * Creates the metrics. Lag and remaining time are computed at each scrape from the ledger and the clock. So they get worse while a
 * reader is dead.
 *
 * @returns the registry, and the observers that update it
 */
export function createMetrics(sources: Sources) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges that are named like counters. The gauges without the suffix hold the same numbers, by type.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  const registers = [registry]
  const byName = new Map(
    Object.entries(counters).map(([name, [help, ...labelNames]]) => {
      return [name, new Counter<string>({ name: `${prefix}${name}`, help, labelNames, registers })]
    }),
  )
  const add = (name: CounterName, count = 1, labels: Record<string, string> = {}) =>
    byName.get(name)?.inc(labels, count)
  for (const [name, { help, labels: labelNames = [], read }] of Object.entries(createGauges(sources)))
    new Gauge<string>({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        const values = await read()
        // An unknown value must not be shown as 0. `reset` would set a gauge without labels to 0.
        if (labelNames.length > 0) this.reset()
        else this.remove()
        for (const [value, ...labels] of values)
          if (value !== undefined) this.set(Object.fromEntries(labelNames.map((name, n) => [name, labels[n]])), value)
      },
    })

  function count({ rows, bytes }: Segment): void {
    add('segments_total')
    add('rows_total', rows)
    add('bytes_total', bytes)
  }

  /** Observes the calls of the logging interface. */
  const requests: Observer = {
    response({ operation }, { status }) {
      add('requests_total', 1, { operation, status: status === undefined ? 'none' : String(status) })
      if (status === 429) add('rate_limited_total')
    },
    wait(_, heldMs) {
      add('waits_total')
      add('wait_seconds_total', heldMs / 1000)
    },
  }

  return {
    registry,
    /** Counts a repeated request. */
    onRetry: () => add('retries_total'),
    requests,
    observe: observeWith({
      window({ segment }) {
        add('windows_total')
        if (segment) count(segment)
      },
      revision({ segment }) {
        add('revisions_total')
        count(segment)
      },
      recheck: ({ outcome }) => add('rechecks_total', 1, { outcome }),
      'recheck-missed': () => add('rechecks_missed_total'),
      'shrunk-read'({ missing }) {
        add('shrunk_reads_total')
        add('shrunk_read_rows_total', missing)
      },
      rejects: ({ rows }) => add('rejects_total', rows),
      delivered({ delivery, rows, refused }) {
        add('delivered_rows_total', rows, { delivery })
        add('refused_total', refused, { delivery })
      },
      'delivery-failed': ({ delivery }) => add('delivery_failures_total', 1, { delivery }),
      replaced: ({ values }) => add('replaced_total', values),
      gap({ gap }) {
        add('gaps_total')
        add('gap_seconds_total', (gap.to - gap.from) / 1000)
      },
      conflict: () => add('segments_lost_total'),
      failed: () => add('failures_total'),
      clock: ({ jump }) => jump && add('clock_jumps_total'),
      recovered: () => add('ledger_repairs_total'),
    }),
  }
}
