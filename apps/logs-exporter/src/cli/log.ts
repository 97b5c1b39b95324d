import { terminalText } from '@cdn/kit/text'
import { pino } from 'pino'
import { type Observe, observeWith } from '../engine/events.ts'
import { describeError, type Log } from '../errors.ts'
import type { OpenGap } from '../ledger/ledger.ts'
import { isoTime, rangeText, type Window } from '../segments/segment.ts'
import type { Terminal } from './progress.ts'

/**
 * Writes one line per entry to stderr, because rows may be written to stdout: text on a terminal, otherwise JSON. On Linux,
 * Node writes synchronously to a terminal, a file or a pipe, so the last entries of a crashing process are not lost.
 */
export function createLog(stderr: Terminal): Log {
  const options = {
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  }
  return pino(options, stderr.isTTY ? { write: (line) => stderr.write(toText(line)) } : stderr)
}

/** A line of the log for a person: `14:30:05Z warn  a zone failed; the exporter will retry (zone 123, failures 2, ...)`. */
function toText(line: string): string {
  const { level, time, pid, msg, ...fields } = JSON.parse(line)
  const details = Object.entries<unknown>(fields).map(([name, value]) => `${name} ${detailOf(value)}`)
  const text = `${time.slice(11, 19)}Z ${level.padEnd(5)} ${msg}${details.length > 0 ? ` (${details.join(', ')})` : ''}`
  return `${terminalText(text)}\n`
}

function detailOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(String).join(' ')
  const message = value instanceof Object && 'message' in value ? value.message : undefined
  return typeof message === 'string' ? message : JSON.stringify(value)
}

/** Logs the engine events that an operator may need. Regular progress is not logged here but in the summary. */
export function logEvents(log: Log): Observe {
  /** Zones whose replaced values were reported. */
  const replacements = new Set<string>()
  /** Zones whose conflicts were reported. */
  const conflicts = new Set<string>()
  return observeWith({
    revision({ segment }) {
      const { revision, rows } = segment
      log.info({ ...span(segment), revision, rows }, 'late rows are in the sink')
    },
    'shrunk-read'({ window, missing }) {
      const text = 'a recheck returned fewer rows than the sink has; the sink keeps them'
      log.warn({ ...span(window), missing }, text)
    },
    'recheck-missed': ({ window }) =>
      log.warn({ ...span(window) }, 'a window passed the end of the retention before its recheck'),
    rejects: ({ zone, rows, reasons }) => log.warn({ zone, rows, reasons }, 'rows became dead letters'),
    'stdout-failed': ({ failures, error, waitMs }) =>
      log.warn({ failures, error: describeError(error), waitMs }, 'a segment cannot be read for standard output yet'),
    'stdout-skipped': ({ error }) =>
      log.error({ error: describeError(error) }, 'standard output left out a damaged segment'),
    gap: ({ gap }) => log.error({ ...span(gap), reason: gap.reason }, 'a range is lost'),
    conflict({ window, revision }) {
      if (conflicts.has(window.zone)) return
      conflicts.add(window.zone)
      log.warn(
        { ...span(window), revision },
        'another writer published this window first; the summaries count further conflicts',
      )
    },
    unread: ({ window, gaps }) =>
      gaps.length > 0
        ? log.warn(
            { ...span(window), gaps: gaps.map(gapText) },
            'parts of a window cannot be read; the exporter will retry',
          )
        : log.info({ ...span(window) }, 'a window that could not be read completely can be read now'),
    replaced({ zone, values }) {
      if (replacements.has(zone)) return
      replacements.add(zone)
      log.warn(
        { zone, values },
        'U+FFFD replaced characters that cannot be stored; cdn_logs_exporter_replaced_total counts the values',
      )
    },
    failed({ zone, failures, error, retryAt, recheck }) {
      const fields = { error: describeError(error), retryAt: isoTime(retryAt) }
      if (recheck) log.warn({ ...span(recheck), ...fields }, 'a recheck failed; the exporter will retry')
      else log.warn({ zone, failures, ...fields }, 'a zone failed; the exporter will retry')
    },
    rest: ({ zone, ms }) => log.warn({ zone, seconds: ms / 1000 }, 'the platform answered 429; the zone waits'),
    clock({ offset, jump }) {
      const what = jump ? 'a clock was set while the exporter ran' : 'the clock of this machine is wrong'
      log.warn({ offsetSeconds: Math.round(offset / 1000) }, `${what}; the exporter uses the platform's clock`)
    },
    recovered({ zone, position }) {
      const text =
        "the ledger held times in the platform's future; the exporter drops them and reads those windows when they close"
      log.warn({ zone, ...(position !== undefined && { position: isoTime(position) }) }, text)
    },
  })
}

function gapText({ from, to, reason }: OpenGap): string {
  return `${rangeText({ from, to })}: ${reason}`
}

function span({ zone, from, to }: Window) {
  return { zone, from: isoTime(from), to: isoTime(to) }
}
