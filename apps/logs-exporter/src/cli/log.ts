import { pino } from 'pino'
import type { EngineEvent, Observe } from '../engine/events.ts'
import { codeOf } from '../errors.ts'

/** Structured log: fields first, then the message. */
export interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/**
 * Writes one line of JSON per entry to stderr, because stdout may be a sink. Writes are synchronous, so the last entries of a
 * crashing process are not lost.
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

/** Logs the engine events that an operator may need. Regular progress is not logged here but in the summary. */
export function logEvents(log: Log): Observe {
  return (event) => {
    switch (event.type) {
      case 'revision': {
        const { zone, revision, rows } = event.segment
        return log.info({ zone, ...span(event.segment), revision, rows }, 'late rows are in the sink')
      }
      case 'shrunk-read':
        return log.warn(
          { ...window(event), missing: event.missing },
          'a recheck returned fewer rows than the sink has; the sink keeps them',
        )
      case 'recheck-missed':
        return log.warn(window(event), 'a window passed the end of the retention before its recheck')
      case 'rejects':
        return log.warn({ zone: event.zone, rows: event.rows, reasons: event.reasons }, 'rows went to the reject file')
      case 'refused':
        return log.warn({ ...window(event), rows: event.rows }, 'the collector permanently refused rows; see its log')
      case 'gap':
        return log.error({ zone: event.gap.zone, ...span(event.gap), reason: event.gap.reason }, 'a range is lost')
      case 'bulk':
        return log.info(
          { zone: event.zone, day: new Date(event.day).toISOString().slice(0, 10), reason: event.reason },
          'reading the day file of version 1',
        )
      case 'lost':
        return log.info({ ...window(event), revision: event.revision }, 'another writer published this window first')
      case 'failed':
        return log.warn(
          {
            zone: event.zone,
            failures: event.failures,
            error: describeError(event.error),
            retryAt: new Date(event.retryAt).toISOString(),
          },
          'a zone failed; the exporter will retry',
        )
      case 'clock':
        return log.warn(
          { offsetSeconds: Math.round(event.offset / 1000) },
          event.jump
            ? "a clock was set while the exporter ran; the exporter uses the platform's"
            : "the clock of this machine is wrong; the exporter uses the platform's",
        )
      case 'repaired':
        return log.warn(
          {
            zone: event.zone,
            ...(event.position !== undefined && { position: new Date(event.position).toISOString() }),
          },
          "the ledger held times in the platform's future; the exporter drops them and reads those windows when they close",
        )
      default:
    }
  }
}

/** Describes an error in fields that are safe to log. Omits the stack and the cause, because they may hold unredacted text. */
export function describeError(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  // Node throws an AggregateError if all addresses of a host refuse the connection.
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0])
  const code = codeOf(error)
  return { name: error.name, message: error.message || error.name, ...(code !== undefined && { code }) }
}

function window(event: Extract<EngineEvent, { window: unknown }>) {
  return { zone: event.window.zone, ...span(event.window) }
}

function span({ from, to }: { readonly from: number; readonly to: number }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
