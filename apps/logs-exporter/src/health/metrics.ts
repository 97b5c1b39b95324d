import type { Observer } from '@cdn/api'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observe } from '../engine/events.ts'
import type { ZonePosition } from './zone-position.ts'

const prefix = 'cdn_logs_exporter_'

/** The metrics of one process, and what feeds them. */
export interface Metrics {
  readonly registry: Registry
  readonly observe: Observe
  /** For the calls of the logging interface. */
  readonly requests: Observer
}

/** What is asked when the metrics are, so that it is right even where nothing happens any more. */
export interface Sources {
  /** The clock of the platform, in ms since 1970. */
  now(): number
  positions(): Promise<readonly ZonePosition[]>
  /** Zones that this process works on. */
  held(): number
  isHealthy(): Promise<boolean>
}

/**
 * Makes the metrics. Lag and time left are computed at each question from the ledger and the clock: they grow worse while
 * a reader is dead.
 */
export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
        this.reset()
        await collect((value, labels) => (labels ? this.set(labels, value) : this.set(value)))
      },
    })

  const rows = counter('rows_total', 'Rows in the sink.', ['source'])
  const bytes = counter('bytes_total', 'Bytes of segments, as stored.')
  const segments = counter('segments_total', 'Segments published, revisions included.')
  const windows = counter('windows_total', 'Windows read for the first time, empty ones included.')
  const revisions = counter('revisions_total', 'Segments of late rows.')
  const looks = counter('looks_total', 'Settled windows looked at again.', ['outcome'])
  const looksMissed = counter('looks_missed_total', 'Looks that came too late for the retention.')
  const anomalies = counter('anomalies_total', 'Readings that lacked rows which the sink has.')
  const missing = counter('anomaly_rows_total', 'Rows that such readings lacked.')
  const rejects = counter('rejects_total', 'Rows in the reject files.')
  const refused = counter('refused_total', 'Rows that a collector refused for good.')
  const replaced = counter('replaced_total', 'Values in which a lone surrogate became U+FFFD.')
  const gaps = counter('gaps_total', 'Ranges lost.')
  const gapSeconds = counter('gap_seconds_total', 'Length of the ranges lost.')
  const bulk = counter('bulk_reads_total', 'Day files of version 1 read.', ['reason'])
  const failures = counter('failures_total', 'Turns and looks of a zone that failed, to be repeated.')
  const fenced = counter('leases_lost_total', 'Zones whose lease was lost or ran out.')
  const races = counter('segments_lost_total', 'Segments that another writer published first.')
  const requests = counter('requests_total', 'Requests to the logging interface, by answer.', ['operation', 'status'])
  const limited = counter('rate_limited_total', 'Answers 429.')
  const retries = counter('retries_total', 'Requests that were repeated.')
  const waits = counter('waits_total', 'Requests that waited for the rate limit.')
  const waited = counter('wait_seconds_total', 'Time that requests waited for the rate limit.')

  gauge(
    'zone_lag_seconds',
    'Age of the oldest log that is not in the sink yet, allowed lateness included.',
    async (set) => {
      const now = sources.now()
      for (const { zone, position } of await sources.positions())
        if (position !== undefined) set((now - position) / 1000, { zone })
    },
    ['zone'],
  )
  gauge(
    'zone_time_left_seconds',
    'Time until the oldest open window must have been read.',
    async (set) => {
      const now = sources.now()
      for (const { zone, deadline } of await sources.positions())
        if (deadline !== undefined) set((deadline - now) / 1000, { zone })
    },
    ['zone'],
  )
  gauge('zones_held', 'Zones that this process works on.', (set) => set(sources.held()))
  gauge('healthy', '1 where /healthz is green.', async (set) => set((await sources.isHealthy()) ? 1 : 0))

  return {
    registry,
    requests: {
      response({ operation }, { status }) {
        requests.inc({ operation, status: status === undefined ? 'none' : String(status) })
        if (status === 429) limited.inc()
      },
      retry: () => retries.inc(),
      wait(_, heldMs) {
        waits.inc()
        waited.inc(heldMs / 1000)
      },
    },
    observe(event) {
      switch (event.type) {
        case 'window':
          windows.inc()
          if (event.segment) {
            segments.inc()
            rows.inc({ source: event.source }, event.segment.rows)
            bytes.inc(event.segment.bytes)
          }
          break
        case 'revision':
          revisions.inc()
          segments.inc()
          rows.inc({ source: event.segment.source }, event.segment.rows)
          bytes.inc(event.segment.bytes)
          break
        case 'look':
          looks.inc({ outcome: event.outcome })
          break
        case 'look-missed':
          looksMissed.inc()
          break
        case 'anomaly':
          anomalies.inc()
          missing.inc(event.missing)
          break
        case 'rejects':
          rejects.inc(event.rows)
          break
        case 'refused':
          refused.inc(event.rows)
          break
        case 'replaced':
          replaced.inc(event.values)
          break
        case 'gap':
          gaps.inc()
          gapSeconds.inc((event.gap.to - event.gap.from) / 1000)
          break
        case 'bulk':
          bulk.inc({ reason: event.reason })
          break
        case 'lost':
          races.inc()
          break
        case 'failed':
          failures.inc()
          break
        case 'fenced':
          fenced.inc()
          break
        case 'position':
        case 'progress':
        case 'turn':
          break
      }
    },
  }
}

type SetGauge<Label extends string> = (value: number, labels?: Record<Label, string>) => void
