import { pino } from 'pino'
import type { EngineEvent, Observe } from '../engine/events.ts'

/** Structured logs: a value, then what happened. */
export interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/**
 * Writes one line of JSON for each entry, to stderr: stdout may be a sink. It is written before the next thing is done, so the
 * last words of a process that dies are there.
 */
export function createLog(): Log {
  return pino(
    {
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}

/** Says what the engine tells of that somebody may want to know; that all goes well, the summary says. */
export function logEvents(log: Log): Observe {
  return (event) => {
    switch (event.type) {
      case 'revision': {
        const { zone, revision, rows } = event.segment
        return log.info({ zone, ...span(event.segment), revision, rows }, 'late rows are in the sink')
      }
      case 'anomaly':
        return log.warn(
          { ...window(event), missing: event.missing },
          'a reading lacks rows that the sink has; they stay',
        )
      case 'look-missed':
        return log.warn(window(event), 'a window could not be looked at again before the platform forgot it')
      case 'rejects':
        return log.warn({ zone: event.zone, rows: event.rows, reasons: event.reasons }, 'rows went to the reject file')
      case 'refused':
        return log.warn({ ...window(event), rows: event.rows }, 'the collector refused rows for good; its log says why')
      case 'gap':
        return log.error({ zone: event.gap.zone, ...span(event.gap), reason: event.gap.reason }, 'a range is lost')
      case 'bulk':
        return log.info(
          { zone: event.zone, day: new Date(event.day).toISOString().slice(0, 10), reason: event.reason },
          'reading the day file of version 1',
        )
      case 'lost':
        return log.info({ ...window(event), revision: event.revision }, 'another writer was first')
      case 'failed':
        return log.warn(
          {
            zone: event.zone,
            failures: event.failures,
            error: describe(event.error),
            retryAt: new Date(event.retryAt).toISOString(),
          },
          'a zone failed and is tried again',
        )
      case 'fenced':
        return log.warn({ zone: event.zone }, 'the lease of a zone was lost; its work is dropped')
      default:
    }
  }
}

/** What is said of an error: neither its stack nor its cause, which may hold what nobody checked. */
export function describe(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  // Node's word for an address that is refused under all of its names.
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0])
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return { name: error.name, message: error.message || error.name, ...code }
}

function window(event: Extract<EngineEvent, { window: unknown }>) {
  return { zone: event.window.zone, ...span(event.window) }
}

function span({ from, to }: { readonly from: number; readonly to: number }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
