import { type ManagementClient, paginate } from '@cdn/api'
import { terminalText } from '@cdn/kit/text'
import { describeError, type Log } from './cli/log.ts'

/** Maximum number of zones of an account. A platform that lists more is mistaken, and the list may have no end. */
const maxZones = 200_000

/**
 * Lists the zones of the account that have logging on and a matching name, through the management interface (supplement).
 *
 * @param name pattern in which `*` matches any text
 * @returns their ids
 * @throws ApiError, TransportError, IncompleteListError. Error if the list does not end, has an id that is not a decimal integer,
 *   or has no match, because an incomplete list must not end the export of a zone
 */
export async function listZones(
  client: ManagementClient,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const zones: string[] = []
  let count = 0
  for await (const { Id, Name, EnableLogging } of paginate(client, '/pullzone', { signal })) {
    if (++count > maxZones) throw new Error(`The list of pull zones has more than ${maxZones} zones.`)
    const id = toId(Id)
    if (EnableLogging && matchesPattern(Name ?? '', name)) zones.push(id)
  }
  if (zones.length === 0) throw new Error(`No pull zone with logging on matches the name ${JSON.stringify(name)}.`)
  return zones
}

/** @throws Error for an id that could be something else in a path or a log */
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

/**
 * Lists the zones every few minutes until the signal fires. New zones begin at the oldest logs that can be read. Removed zones
 * are logged, and their export ends.
 *
 * @param first the initially exported zones
 * @param options `list` lists the zones; its failures are logged and change nothing. `onChange` is called with all zones if some
 *   are new or removed
 */
export async function followZones(
  first: readonly string[],
  {
    list,
    onChange,
    sleep,
    log,
    signal,
  }: {
    list(signal: AbortSignal): Promise<readonly string[]>
    onChange(zones: readonly string[]): void
    sleep(ms: number, signal: AbortSignal): Promise<void>
    readonly log: Log
    readonly signal: AbortSignal
  },
): Promise<void> {
  let known = new Set(first)
  for (;;) {
    await sleep(followMs, signal)
    if (signal.aborted) return
    try {
      const zones = await list(signal)
      const added = zones.filter((zone) => !known.has(zone))
      const gone = [...known].filter((zone) => !zones.includes(zone))
      if (added.length > 0) log.info({ zones: added }, 'new zones in the account; their export begins')
      if (gone.length > 0)
        log.warn({ zones: gone }, 'zones were removed, renamed, or have logging off; their export ends')
      if (added.length + gone.length > 0) onChange(zones)
      known = new Set(zones)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ error: describeError(error) }, 'the zones cannot be listed; the export of the known zones continues')
    }
  }
}
