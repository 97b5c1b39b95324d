import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { Shard } from '../config/config.ts'
import type { EngineEvent } from '../engine/events.ts'
import type { StdoutLag } from '../ledger/ledger.ts'
import type { HealthOptions, ZonePosition } from './health.ts'

const prefix = 'cdn_logs_exporter_'

/** Values that are computed at each scrape, so that they stay right even if no event arrives. */
export interface Sources extends Pick<HealthOptions, 'now' | 'positions' | 'clockOffset'> {
  /** The segments that are not on standard output yet; undefined if the rows are not written there. */
  stdoutLag(): Promise<StdoutLag | undefined>
  /** Zones that the management interface lists as suspended, disabled or without logging; undefined before the first list. */
  paused(): number | undefined
  isHealthy(): Promise<boolean>
  readonly shard?: Shard | undefined
}

/** An increment with the values of the labels. Undefined and false count nothing. */
type Increment = number | false | undefined | readonly [count: number, ...labels: string[]]

interface CounterOf {
  readonly help: string
  readonly labels?: readonly string[]
  /** The increment for each type of event. */
  readonly on: {
    readonly [Type in EngineEvent['type']]?: (event: Extract<EngineEvent, { readonly type: Type }>) => Increment
  }
}

const one = () => 1

const counters: Readonly<Record<string, CounterOf>> = {
  rows_total: {
    help: 'Rows that were stored in the sink.',
    on: { window: ({ segment }) => segment?.rows, revision: ({ segment }) => segment.rows },
  },
  bytes_total: {
    help: 'Stored bytes of segments.',
    on: { window: ({ segment }) => segment?.bytes, revision: ({ segment }) => segment.bytes },
  },
  segments_total: {
    help: 'Published segments, including revisions.',
    on: { window: ({ segment }) => segment && 1, revision: one },
  },
  windows_total: { help: 'Windows read for the first time, including empty ones.', on: { window: one } },
  revisions_total: { help: 'Published segments of late rows.', on: { revision: one } },
  rechecks_total: {
    help: 'Rechecks of closed windows.',
    labels: ['outcome'],
    on: { recheck: ({ outcome }) => [1, outcome] },
  },
  rechecks_missed_total: {
    help: 'Windows that passed the end of the retention before their recheck.',
    on: { 'recheck-missed': one },
  },
  shrunk_reads_total: { help: 'Reads that returned fewer rows than the sink has.', on: { 'shrunk-read': one } },
  shrunk_read_rows_total: {
    help: 'Rows of the sink that shrunk reads did not return.',
    on: { 'shrunk-read': ({ missing }) => missing },
  },
  rejects_total: { help: 'Rows that became dead letters.', on: { rejects: ({ rows }) => rows } },
  stdout_rows_total: { help: 'Rows that were written to standard output.', on: { stdout: ({ rows }) => rows } },
  stdout_failures_total: {
    help: 'Failed attempts to read a segment for standard output, which are repeated.',
    on: { 'stdout-failed': one },
  },
  stdout_skipped_total: {
    help: 'Segments that standard output left out because they stayed damaged.',
    on: { 'stdout-skipped': one },
  },
  replaced_total: {
    help: 'Values with a lone surrogate, bytes that are not UTF-8 or, for PostgreSQL, U+0000, replaced by U+FFFD.',
    on: { replaced: ({ values }) => values },
  },
  gaps_total: { help: 'Lost ranges.', on: { gap: one } },
  gap_seconds_total: { help: 'Length of the lost ranges.', on: { gap: ({ gap }) => (gap.to - gap.from) / 1000 } },
  failures_total: { help: 'Failed cycles and rechecks, which are repeated.', on: { failed: one } },
  clock_jumps_total: {
    help: 'Clock changes of more than a minute while the exporter ran.',
    on: { clock: ({ jump }) => jump && 1 },
  },
  ledger_recoveries_total: {
    help: "Zones whose ledger held times in the platform's future.",
    on: { recovered: one },
  },
  conflicts_total: { help: 'Segments that another writer published first.', on: { conflict: one } },
  requests_total: {
    help: 'Requests to the logging interface, by response.',
    labels: ['operation', 'status'],
    on: { response: ({ operation, status = 'none' }) => [1, operation, String(status)] },
  },
  rate_limited_total: { help: '429 responses.', on: { response: ({ status }) => status === 429 && 1 } },
  retries_total: { help: 'Repeated requests.', on: { retry: one } },
  waits_total: { help: 'Requests that waited for the rate limit.', on: { wait: one } },
  wait_seconds_total: { help: 'Time that requests waited for the rate limit.', on: { wait: ({ ms }) => ms / 1000 } },
}

/** The values of a gauge, each with the values of its labels. An undefined value is not shown. */
type Values = readonly (readonly [value: number | undefined, ...labels: string[]])[]

interface GaugeOf {
  readonly help: string
  readonly labels?: readonly string[]
  read(): Values | Promise<Values>
}

/** The gauges, by name. They are read at each scrape. */
function createGauges(sources: Sources): Readonly<Record<string, GaugeOf>> {
  const { now, positions, stdoutLag, paused, isHealthy, clockOffset, shard = { index: 0, of: 1 } } = sources
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  const since = (time: number | undefined) => seconds(time === undefined ? undefined : now() - time)
  const perZone = (help: string, toValue: (zone: ZonePosition) => number | undefined): GaugeOf => {
    return { help, labels: ['zone'], read: async () => (await positions()).map((each) => [toValue(each), each.zone]) }
  }
  const ofStdout = (help: string, toValue: (lag: StdoutLag) => number): GaugeOf => {
    return {
      help,
      async read() {
        const lag = await stdoutLag()
        return [[lag && toValue(lag)]]
      },
    }
  }
  return {
    zone_lag_seconds: perZone(
      'Age of the oldest log that is not in the sink yet, including the allowed lateness.',
      ({ position }) => since(position),
    ),
    zone_time_left_seconds: perZone('Time until the deadline of the oldest open window.', ({ deadline }) =>
      seconds(deadline === undefined ? undefined : deadline - now()),
    ),
    zone_open_gaps: perZone('Ranges of a zone that cannot be read yet.', ({ unread }) => unread.length),
    stdout_lag_seconds: ofStdout(
      'Time since the end of the oldest window that is not on standard output; 0 without one.',
      ({ oldest }) => since(oldest) ?? 0,
    ),
    stdout_segments: ofStdout('Segments that are not on standard output yet.', ({ segments }) => segments),
    build_info: {
      help: 'Always 1; the labels are the versions of the exporter and of Node.',
      labels: ['version', 'node'],
      read: () => [[1, manifest.version, process.versions.node]],
    },
    shard: {
      help: 'Number of exporters that share the zones; the labels identify this exporter.',
      labels: ['index', 'of'],
      read: () => [[shard.of, String(shard.index), String(shard.of)]],
    },
    zones_paused: {
      help: 'Zones with a matching name that are suspended, disabled or without logging, so they are not exported.',
      read: () => [[paused()]],
    },
    clock_offset_seconds: {
      help: 'Clock of this machine minus the clock of the platform.',
      read: () => [[seconds(clockOffset())]],
    },
    healthy: { help: '1 if /healthz answers 200, otherwise 0.', read: async () => [[(await isHealthy()) ? 1 : 0]] },
  }
}

/**
 * Creates the metrics. Lag and remaining time are computed at each scrape from the ledger and the clock. So they get worse while a
 * reader is dead.
 *
 * @returns the registry, and the observer that updates it
 */
export function createMetrics(sources: Sources) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Removes gauges that are named like counters. The gauges without the suffix hold the same numbers, by type.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  const registers = [registry]
  const withLabels = (names: readonly string[], values: readonly string[]) =>
    Object.fromEntries(names.map((name, n) => [name, values[n] ?? '']))
  const counting = Object.entries(counters).map(([name, { help, labels = [], on }]) => {
    return {
      labels,
      on,
      counter: new Counter<string>({ name: `${prefix}${name}`, help, labelNames: labels, registers }),
    }
  })
  function observe(event: EngineEvent): void {
    for (const { labels, on, counter } of counting) {
      // Safe: the function of a type gets the events of that type. TypeScript does not connect the two unions.
      const increment = (on[event.type] as ((event: EngineEvent) => Increment) | undefined)?.(event)
      if (!increment) continue
      const [count, ...values] = typeof increment === 'number' ? [increment] : increment
      counter.inc(withLabels(labels, values), count)
    }
  }
  for (const [name, { help, labels: labelNames = [], read }] of Object.entries(createGauges(sources)))
    new Gauge<string>({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        let values: Values = []
        try {
          values = await read()
        } catch {
          // The ledger cannot be read, which health reports. The other gauges keep their values.
        }
        // An unknown value must not be shown as 0. `reset` would set a gauge without labels to 0.
        if (labelNames.length > 0) this.reset()
        else this.remove()
        for (const [value, ...labels] of values)
          if (value !== undefined) this.set(withLabels(labelNames, labels), value)
      },
    })
  return { registry, observe }
}
