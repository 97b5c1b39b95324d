import type { Clock } from '../clock.ts'
import type { FaultChoice } from '../faults/choice.ts'
import { type FaultKind, faultTable } from '../faults/fault-table.ts'
import type { Faults } from '../faults/faults.ts'
import type { FaultSchedule } from '../faults/schedule.ts'
import type { Answer, Call } from '../http/call.ts'
import { toExact } from '../http/json.ts'
import { empty, json } from '../http/refuse.ts'
import type { Recorder } from '../journal/journal.ts'
import type { LogRow } from '../state/log-row.ts'
import type { State } from '../state/state.ts'
import type { TrafficOptions } from '../traffic/options.ts'
import { readRows } from './read-rows.ts'

/** Where the control interface lies, on the ports of both interfaces. */
export const controlPrefix = '/_emulator/'

/** What can be looked at and moved from outside. */
export interface Controlled {
  readonly clock: Clock
  readonly state: State
  readonly journal: Recorder
  readonly faults: Faults
}

type Action = (controlled: Controlled, call: Call) => Answer | Promise<Answer>

const actions: Readonly<Record<string, Action>> = {
  'GET state': ({ clock, state }) =>
    json(200, {
      now: clock.now(),
      libraries: [...state.libraries.values()],
      zones: [...state.zones.values()].map((zone) => ({ ...zone, rows: state.logs.count(zone.id) })),
    }),
  'GET journal': ({ journal: { entries, verdicts, dropped } }) => json(200, { entries, verdicts, dropped }),
  'DELETE journal': ({ journal }) => {
    journal.clear()
    return empty(204)
  },
  'GET faults': ({ faults }) => json(200, { active: faults.active(), known: knownFaults() }),
  'POST faults': async ({ faults }, call) => {
    const body = parse(await call.body())
    return attempt(() => {
      faults.add(body as FaultChoice)
      return { active: faults.active() }
    })
  },
  'POST faults/schedule': async ({ faults }, call) => {
    const body = parse(await call.body())
    return attempt(() => {
      faults.schedule(body as FaultSchedule)
      return { active: faults.active() }
    })
  },
  'DELETE faults': ({ faults }) => {
    faults.clear()
    return empty(204)
  },
  'GET log-rows': ({ state }, call) => {
    const query = new URLSearchParams(call.query)
    const zoneId = query.get('zone')
    if (!zoneId || !state.zones.has(zoneId)) return json(400, { message: 'Name a zone that exists, as ?zone=<id>.' })
    const time = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: rowList(state.logs.rows(zoneId, time('from'), time('to'))),
    }
  },
  'POST log-rows': async ({ state }, call) => {
    const rows = readRows(parse(await call.body()))
    if (typeof rows === 'string') return json(400, { message: rows })
    state.logs.append(rows)
    return json(200, { appended: rows.length })
  },
  'POST traffic': async ({ state }, call) => {
    const body = parse(await call.body())
    return attempt(() => ({ zones: state.addTraffic(body as TrafficOptions) }))
  },
  'POST clock/advance': async ({ clock }, call) => {
    const body = parse(await call.body())
    const ms = typeof body === 'object' && body !== null && 'ms' in body ? body.ms : undefined
    if (typeof ms !== 'number') return json(400, { message: 'Send {"ms": <milliseconds, 0 or more>}.' })
    return attempt(() => {
      clock.advance(ms)
      return { now: clock.now() }
    })
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

function knownFaults() {
  const table: [string, FaultKind][] = Object.entries(faultTable)
  return table.map(([name, { kind, text, parameters }]) => ({ name, kind, text, parameters }))
}

/** What an action gives, or 400 with its own sentence on what is wrong. */
function attempt(action: () => unknown): Answer {
  try {
    return json(200, action())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return json(400, { message: error.message })
  }
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
