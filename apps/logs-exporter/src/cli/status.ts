import { resolve } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { plural } from '@cdn/kit/plural'
import type { Config } from '../config/config.ts'
import { formatDuration } from '../config/values.ts'
import { closedUntil, deadlineOf, type ExportPlan } from '../engine/plan.ts'
import { missingWindows } from '../engine/recover.ts'
import { ConfigurationError, describeError, SinkError } from '../errors.ts'
import { countDeadLetters, deadLetterPath } from '../ledger/dead-letters.ts'
import type { Ledger, StdoutLag } from '../ledger/ledger.ts'
import { readLedger } from '../ledger/open-ledger.ts'
import { isoTime, rangeText, type Window, windowOf } from '../segments/segment.ts'
import { openSink } from '../sinks/open-sink.ts'
import type { Sink } from '../sinks/sink.ts'
import type { ExporterContext } from './context.ts'
import { deadLettersText, lostText, openGapText } from './counts.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { exportPlan, zonesOf } from './open-runtime.ts'
import type { CommandOf } from './options.ts'

/**
 * Shows the progress of each zone according to the ledger, after a comparison with a listing of the sink. A daemon may use the
 * ledger at the same time. If the sink cannot be listed, says so instead. If the zones cannot be listed, shows those of the ledger.
 *
 * @param out receives a table or, with `json`, one object per zone, standard output and file of dead letters
 * @returns the exit code: 0; 6 if ranges are lost or segments are gone; 1 if a zone fails or has ranges that cannot be read yet
 */
export async function status(
  fileConfig: Config,
  { json }: CommandOf<'status'>,
  { env, out, err, signal }: ExporterContext,
): Promise<number> {
  const ledger = readLedger(fileConfig.ledger)
  const listed = await zonesOf(fileConfig, env, signal).catch(async (error: unknown) => {
    if (signal.aborted || error instanceof ConfigurationError) throw error
    const zones = (await ledger?.zones()) ?? []
    err.write(`The zones cannot be listed, so the zones of the ledger are shown: ${describeError(error).message}\n`)
    return { zones, paused: [] }
  })
  const config = { ...fileConfig, ...listed }
  const paused = config.paused.map((zone) => ({ zone, paused: true, gaps: [] }))
  if (!ledger) {
    const nothing = [...config.zones.map((zone) => ({ zone, gaps: [] })), ...paused]
    out.write(json ? toLines(nothing) : `Nothing was exported yet: no ledger in ${resolve(config.ledger)}.\n`)
    return exporterExitCodes.done
  }
  try {
    const now = Date.now()
    const { missing, unlisted } = await compareWithSink(config, ledger, env, signal)
    const zones: ZoneStatus[] = []
    for (const zone of config.zones)
      zones.push({ ...(await zoneStatus(ledger, zone, now, exportPlan(config))), missing: missing.get(zone) ?? [] })
    const stdout = [(await ledger.stdoutLag()) ?? []].flat().map((each) => {
      return { stdout: true, ...each, lag: each.oldest === undefined ? 0 : Math.max(0, now - each.oldest) }
    })
    const rejected = [...(await countDeadLetters(config.ledger))].map(([origin, rows]) => {
      return { origin, rejected: rows, file: deadLetterPath(config.ledger, origin) }
    })
    const lines = [
      ...config.paused.map((zone) => `zone ${zone}: paused (suspended, disabled or without logging)`),
      ...stdout.map(stdoutText),
      ...rejected.map(({ origin, rejected }) => deadLettersText(config.ledger, origin, rejected)),
      ...(unlisted === undefined ? [] : [`the sink was not compared with the ledger: ${unlisted}`]),
    ]
    const text = () => toTable(zones, now) + lines.map((line) => `${line}\n`).join('')
    out.write(json ? toLines([...zones, ...paused, ...stdout, ...rejected]) : text())
    if (zones.some(({ gaps, missing }) => gaps.length + missing.length > 0)) return exporterExitCodes.lost
    const isFailing = zones.some(({ failure, unread }) => failure !== undefined || unread.length > 0)
    return isFailing ? exporterExitCodes.failed : exporterExitCodes.done
  } finally {
    await ledger.close()
  }
}

/** Lists the sink, and finds the windows that have fewer segments there than the ledger recorded. */
async function compareWithSink(config: Config, ledger: Ledger, env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const missing = new Map<string, readonly Window[]>()
  let sink: Sink | undefined
  try {
    sink = await openSink(config.sink, env)
    for (const zone of config.zones) missing.set(zone, await missingOf({ zone, sink, ledger, signal }))
    return { missing, unlisted: undefined }
  } catch (error) {
    if (!(error instanceof SinkError || error instanceof ConfigurationError)) throw error
    return { missing, unlisted: error.message }
  } finally {
    await sink?.close()
  }
}

async function missingOf(context: Parameters<typeof missingWindows>[0]): Promise<readonly Window[]> {
  const windows = await context.ledger.windows(context.zone, 0, Number.POSITIVE_INFINITY)
  const [first, last] = [windows[0], windows.at(-1)]
  if (!first || !last) return []
  const suspects = await missingWindows(context, first.from, last.to)
  if (suspects.length === 0) return []
  // A daemon may have published and recorded a window after the listing, so list the sink again.
  const gone = new Set((await missingWindows(context, first.from, last.to)).map(({ from }) => from))
  return suspects.filter(({ from }) => gone.has(from)).map(windowOf)
}

function toLines(objects: readonly object[]): string {
  return objects.map((each) => `${JSON.stringify(each, readable)}\n`).join('')
}

function stdoutText({ segments, lag }: StdoutLag & { readonly lag: number }): string {
  return `standard output: ${segments === 0 ? 'all segments are written' : `${plural(segments, 'segment')} left, lag ${duration(lag)}`}`
}

const times = new Set(['oldest', 'position', 'deadline', 'nextRecheck', 'from', 'to', 'noticedAt', 'since'])

function readable(key: string, value: unknown): unknown {
  return times.has(key) && typeof value === 'number' ? isoTime(value) : value
}

function toTable(zones: readonly ZoneStatus[], now: number): string {
  const rows = zones.map(({ zone, position, lag, backlog, deadline, gaps, backfilled }) => [
    zone,
    position === undefined ? (backfilled ? 'backfilled only' : 'never exported') : isoTime(position),
    duration(lag),
    duration(backlog),
    deadline === undefined ? '-' : deadline < now ? 'over' : duration(deadline - now),
    String(gaps.length),
  ])
  const titles = ['zone', 'exported until', 'lag', 'closed, not read', 'time left', 'gaps']
  const table = [titles, ...rows]
  const widths = titles.map((_, column) =>
    table.reduce((width, row) => Math.max(width, assertDefined(row[column]).length), 0),
  )
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(assertDefined(widths[column])))
      .join('  ')
      .trimEnd(),
  )
  const each = (textsOf: (zone: ZoneStatus) => readonly string[]) =>
    zones.flatMap((status) => textsOf(status).map((text) => `zone ${status.zone}: ${text}`))
  return `${[
    ...lines,
    ...each(({ backfilled: of }) =>
      of ? [`backfilled ${of.windows} windows between ${isoTime(of.from)} and ${isoTime(of.to)}`] : [],
    ),
    ...each(({ failure }) => (failure ? [`not exported since ${isoTime(failure.since)}: ${failure.reason}`] : [])),
    ...each(({ unread }) => unread.map(openGapText)),
    ...each(({ gaps }) => gaps.map(lostText)),
    ...each(({ missing }) =>
      missing.map((window) => `the sink lacks the segment of ${rangeText(window)}; backfill that range`),
    ),
  ].join('\n')}\n`
}

/** Formats a duration to the minute, which is precise enough to act on. */
function duration(ms: number | undefined): string {
  if (ms === undefined) return '-'
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? formatDuration(minutes * 60_000).replace(/^0ms$/, '0m')
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`
}

/** Progress of a zone according to its ledger. Times are in ms since 1970, durations in ms. */
type ZoneStatus = Awaited<ReturnType<typeof zoneStatus>> & { readonly missing: readonly Window[] }

async function zoneStatus(ledger: Ledger, zone: string, now: number, plan: ExportPlan) {
  const position = await ledger.position(zone)
  const isKnown = position !== undefined
  return {
    zone,
    position,
    lag: isKnown ? now - position : undefined,
    backlog: isKnown ? Math.max(0, closedUntil(now, plan) - position) : undefined,
    deadline: isKnown ? deadlineOf(position, plan) : undefined,
    nextRecheck: await ledger.nextRecheck(zone),
    gaps: await ledger.gaps(zone),
    unread: await ledger.openGaps(zone),
    failure: await ledger.failure(zone),
    backfilled: isKnown ? undefined : await backfilled(ledger, zone),
  }
}

/** The windows of a zone that only backfills exported. Between `from` and `to` there may be holes. */
async function backfilled(ledger: Ledger, zone: string) {
  const windows = await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)
  const [first, last] = [windows[0], windows.at(-1)]
  return first && last && { windows: windows.length, from: first.from, to: last.to }
}
