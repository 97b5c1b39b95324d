import type { Clock } from '../clock.ts'
import type { Answer, Call } from '../http/call.ts'
import { toExact } from '../http/json.ts'
import { json } from '../http/refuse.ts'
import type { Journal } from '../journal.ts'
import type { LogRow } from '../state/log-row.ts'
import type { State } from '../state/state.ts'
import { readRows } from './read-rows.ts'

/** Where the control interface lies, on the ports of both interfaces. */
export const controlPrefix = '/_emulator/'

/** What can be looked at and moved from outside. */
export interface Controlled {
  readonly clock: Clock
  readonly state: State
  readonly journal: Journal
}

type Action = (controlled: Controlled, call: Call) => Answer | Promise<Answer>

const actions: Readonly<Record<string, Action>> = {
  'GET state': ({ clock, state }) =>
    json(200, {
      now: clock.now(),
      libraries: [...state.libraries.values()],
      zones: [...state.zones.values()].map((zone) => ({ ...zone, rows: state.logs.rows(zone.id).length })),
    }),
  'GET journal': ({ journal }) => json(200, { entries: journal.entries }),
  'GET log-rows': ({ state }, call) => {
    const zoneId = new URLSearchParams(call.query).get('zone')
    if (!zoneId || !state.zones.has(zoneId)) return json(400, { message: 'Name a zone that exists, as ?zone=<id>.' })
    return { status: 200, headers: { 'content-type': 'application/json' }, body: rowList(state.logs.rows(zoneId)) }
  },
  'POST log-rows': async ({ state }, call) => {
    const rows = readRows(parse(await call.body()))
    if (typeof rows === 'string') return json(400, { message: rows })
    state.logs.append(rows)
    return json(200, { appended: rows.length })
  },
  'POST clock/advance': async ({ clock }, call) => {
    const body = parse(await call.body())
    const ms = typeof body === 'object' && body !== null && 'ms' in body ? body.ms : undefined
    if (typeof ms !== 'number') return json(400, { message: 'Send {"ms": <milliseconds, 0 or more>}.' })
    try {
      clock.advance(ms)
    } catch (error) {
      return json(400, { message: error instanceof Error ? error.message : String(error) })
    }
    return json(200, { now: clock.now() })
  },
}

/**
 * Answers a call to the control interface. It asks for no credentials, since it is served on loopback alone; a page in a
 * browser is kept out, whatever name it gave to this machine.
 */
export async function control(controlled: Controlled, call: Call): Promise<Answer> {
  if (call.headers.get('sec-fetch-site') ?? call.headers.get('origin'))
    return json(403, { message: 'The control interface is not for pages in a browser.' })
  const name = call.path.slice(controlPrefix.length)
  const action = Object.hasOwn(actions, `${call.method} ${name}`) ? actions[`${call.method} ${name}`] : undefined
  return action ? action(controlled, call) : json(404, { message: `There are: ${Object.keys(actions).join(', ')}.` })
}

function* rowList(rows: readonly LogRow[]): Generator<string> {
  yield '{"rows":['
  for (const [index, row] of rows.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(writable(row))}`
  yield ']}'
}

function writable(row: LogRow): unknown {
  return { ...row, bytesSent: toExact(row.bytesSent), bodyBytesSent: toExact(row.bodyBytesSent) }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
