import { type ManagementClient, paginate } from '@cdn/api'
import { terminalText } from '@cdn/kit/text'
import { describeError, type Log } from './errors.ts'
import { sleepUntil } from './notifier.ts'

/** Maximum number of zones of an account. A platform that lists more is mistaken, and the list may have no end. */
const maxZones = 200_000

/** The zones of the account with a matching name. */
export interface ListedZones {
  readonly zones: readonly string[]
  /** Zones that are suspended, disabled or without logging: the platform does not show their logs (§7). */
  readonly paused: readonly string[]
}

/**
 * Lists the zones of the account with a matching name, through the management interface (supplement).
 *
 * @param name pattern in which `*` matches any text
 * @throws ApiError, TransportError, IncompleteListError. Error if the list does not end, has an id that is not a decimal integer,
 *   or has no match, because an incomplete list must not end the export of a zone
 */
export async function listZones(client: ManagementClient, name: string, signal: AbortSignal): Promise<ListedZones> {
  const zones: string[] = []
  const paused: string[] = []
  let count = 0
  for await (const item of paginate(client, '/pullzone', { signal })) {
    if (++count > maxZones) throw new Error(`The list of pull zones has more than ${maxZones} zones.`)
    const id = toId(item.Id)
    if (!matchesPattern(item.Name ?? '', name)) continue
    const isActive = item.EnableLogging && item.Enabled !== false && item.Suspended !== true
    if (isActive) zones.push(id)
    else paused.push(id)
  }
  if (zones.length + paused.length === 0) throw new Error(`No pull zone matches the name ${JSON.stringify(name)}.`)
  return { zones, paused }
}

/** @throws Error if the id is not a decimal integer. Ids become parts of paths and of log lines */
function toId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : JSON.stringify(value)
  if (/^\d{1,19}$/.test(id)) return id
  throw new Error(
    `The platform returned a pull zone with the id ${terminalText(id.slice(0, 40))}; expected a decimal integer.`,
  )
}

/** Whether a name matches a pattern in which `*` matches any text. A regular expression could take very long. */
function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  const end = name.length - last.length
  const at = rest.reduce((from, piece) => {
    const start = name.indexOf(piece, from)
    return start === -1 ? Number.POSITIVE_INFINITY : start + piece.length
  }, first.length)
  return name.startsWith(first) && name.endsWith(last) && at <= end
}

/** Interval between listings, in ms. One window of the default length. */
const followMs = 5 * 60_000
/** Minimum time between listings, in ms, if the platform refuses zones. */
const minFollowMs = 30_000

/**
 * Lists the zones every few minutes until the signal fires, and soon after the platform refused a zone, which may be paused now. New
 * zones begin at the oldest logs that can be read. A paused zone continues where it stopped. The export of removed zones ends.
 *
 * @param first the zones at the start
 * @param options `list` lists the zones; its failures are logged and change nothing. `refused` resolves at the next refusal of a zone
 */
export async function followZones(
  first: ListedZones,
  {
    list,
    onChange,
    refused,
    sleep,
    log,
    signal,
  }: {
    list(signal: AbortSignal): Promise<ListedZones>
    onChange(listed: ListedZones): void
    refused(): Promise<void>
    sleep(ms: number, signal: AbortSignal): Promise<void>
    readonly log: Log
    readonly signal: AbortSignal
  },
): Promise<void> {
  let known = first
  for (;;) {
    const refusal = refused()
    await sleep(minFollowMs, signal)
    await sleepUntil(refusal, { sleep, ms: followMs - minFollowMs, signal })
    if (signal.aborted) return
    try {
      const listed = await list(signal)
      if (logChanges(known, listed, log)) onChange(listed)
      known = listed
    } catch (error) {
      if (signal.aborted) return
      log.warn({ error: describeError(error) }, 'the zones cannot be listed; the export of the known zones continues')
    }
  }
}

const messages: Readonly<Record<string, string>> = {
  'unknown active': 'new zones in the account; their export begins',
  'unknown paused': 'new zones in the account, which are paused',
  'active paused': 'zones are suspended, disabled or without logging; their export pauses',
  'paused active': 'zones are no longer paused; their export continues',
  'active unknown': 'zones were removed or renamed; their export ends',
  'paused unknown': 'paused zones were removed or renamed',
}

function logChanges(before: ListedZones, after: ListedZones, log: Log): boolean {
  const [from, to] = [statesOf(before), statesOf(after)]
  const changeOf = (zone: string) => `${from.get(zone) ?? 'unknown'} ${to.get(zone) ?? 'unknown'}`
  let isChanged = false
  for (const [change, zones] of Map.groupBy(new Set([...from.keys(), ...to.keys()]), changeOf)) {
    const message = messages[change]
    if (message === undefined) continue
    log.info({ zones }, message)
    isChanged = true
  }
  return isChanged
}

function statesOf({ zones, paused }: ListedZones): Map<string, 'active' | 'paused'> {
  return new Map([
    ...zones.map((zone) => [zone, 'active'] as const),
    ...paused.map((zone) => [zone, 'paused'] as const),
  ])
}
