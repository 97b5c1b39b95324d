import { isIP } from 'node:net'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import type { FaultChoice } from '../faults/choice.ts'
import { type FaultKind, faultTable } from '../faults/fault-table.ts'
import type { Faults } from '../faults/faults.ts'
import type { FaultSchedule } from '../faults/schedule.ts'
import type { Recorder } from '../journal/journal.ts'
import type { Clock } from '../platform/clock.ts'
import type { StoredLogRow } from '../platform/state/log-row.ts'
import { readState } from '../platform/state/read-state.ts'
import type { State } from '../platform/state/state.ts'
import type { TrafficOptions } from '../platform/traffic/options.ts'
import { chooseVariants, type VariantPoint, type Variants, variantTable } from '../variants/variants.ts'
import type { EmulatorRequest, EmulatorResponse } from './messages.ts'
import { readRows } from './read-rows.ts'
import { empty, json } from './refuse.ts'
import { BodyTooLarge } from './request-body.ts'

/** Path prefix of the control interface. The ports of both interfaces serve it. */
export const controlPrefix = '/_emulator/'

/** The parts of an emulator that the control interface can read and change. */
export interface ControlledEmulator {
  readonly clock: Clock
  readonly state: State
  readonly journal: Recorder
  readonly faults: Faults
  readonly variants: Variants
  setVariants(chosen: Partial<Variants>): void
}

type Action = (controlled: ControlledEmulator, call: EmulatorRequest) => EmulatorResponse | Promise<EmulatorResponse>

const actions: Readonly<Record<string, Action>> = {
  'GET state': ({ clock, state: { resources, zones, logs } }) => {
    const rows = Object.fromEntries(zones.keys().map((id) => [id, logs.count(id)]))
    return json(200, { now: clock.now(), rows, resources: resources.all })
  },
  'PUT state': async ({ state: { resources } }, call) => {
    const body = parse(await call.body())
    return attempt(() => {
      resources.all = { ...resources.all, ...readState(body, resources) }
      return { collections: Object.keys(resources.all) }
    })
  },
  'DELETE state': ({ state: { resources } }) => {
    resources.reset()
    return empty(204)
  },
  'GET journal': ({ journal: { entries, violations, dropped } }) => json(200, { entries, violations, dropped }),
  'DELETE journal': ({ journal }) => {
    journal.clear()
    return empty(204)
  },
  'GET faults': ({ faults }) => json(200, { active: faults.active(), known: knownFaults() }),
  'POST faults': async ({ faults }, call) => {
    const body = parse(await call.body())
    return attempt(() => {
      faults.add(body as FaultChoice) // `add` refuses an invalid choice
      return { active: faults.active() }
    })
  },
  'POST faults/schedule': async ({ faults }, call) => {
    const body = parse(await call.body())
    return attempt(() => {
      faults.schedule(body as FaultSchedule) // `schedule` refuses an invalid one
      return { active: faults.active() }
    })
  },
  'DELETE faults': ({ faults }) => {
    faults.clear()
    return empty(204)
  },
  'GET variants': ({ variants }) => json(200, { active: variants, known: knownVariants() }),
  'POST variants': async ({ variants, setVariants }, call) => {
    const body = parse(await call.body())
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return json(400, { message: 'Invalid body: expected {"<name>": <value>, ...}.' })
    return attempt(() => {
      setVariants(body)
      return { active: variants }
    })
  },
  'DELETE variants': ({ setVariants }) => {
    setVariants(chooseVariants())
    return empty(204)
  },
  'GET log-rows': ({ state }, call) => {
    const query = new URLSearchParams(call.query)
    const zoneId = query.get('zone')
    if (!zoneId || !state.zones.has(zoneId))
      return json(400, { message: 'Unknown zone: expected the id of an existing zone, as ?zone=<id>.' })
    for (const name of ['from', 'to'])
      if (Number.isNaN(Number(query.get(name))))
        return json(400, {
          message: `${name} must be a time in milliseconds since 1970, not ${JSON.stringify(query.get(name))}.`,
        })
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
    // `addTraffic` refuses invalid options.
    return attempt(() => ({ zones: state.addTraffic(body as TrafficOptions) }))
  },
  'POST clock/advance': async ({ clock }, call) => {
    const body = parse(await call.body())
    const ms = typeof body === 'object' && body !== null && 'ms' in body ? body.ms : undefined
    if (typeof ms !== 'number')
      return json(400, { message: 'Invalid body: expected {"ms": <milliseconds, 0 or more>}.' })
    return attempt(() => {
      clock.advance(ms)
      return { now: clock.now() }
    })
  },
}

/**
 * Serves a request to the control interface. The interface requires no credentials, because by default only loopback reaches it.
 * Requests from web pages are refused. A page whose own name resolves to this machine (DNS rebinding) sends neither an Origin
 * nor a Sec-Fetch-Site with a GET, but its name as Host. So Host must be an IP address, localhost, or a permitted name.
 *
 * @param hosts permitted host names in lower case
 */
export async function control(
  controlled: ControlledEmulator,
  call: EmulatorRequest,
  hosts: ReadonlySet<string>,
): Promise<EmulatorResponse> {
  const host = call.headers.get('host')?.toLowerCase().replace(/:\d*$/, '') ?? ''
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0 && host !== 'localhost' && !hosts.has(host))
    return json(421, {
      message: 'Unknown Host: expected an IP address, localhost, or a name from --host or --allow-host.',
    })
  if (call.headers.get('sec-fetch-site') ?? call.headers.get('origin'))
    return json(403, { message: 'Web pages cannot use the control interface.' })
  const name = call.path.slice(controlPrefix.length)
  const action = Object.hasOwn(actions, `${call.method} ${name}`) ? actions[`${call.method} ${name}`] : undefined
  if (!action) return json(404, { message: `Unknown path: expected one of ${Object.keys(actions).join(', ')}.` })
  try {
    return await action(controlled, call)
  } catch (error) {
    if (error instanceof BodyTooLarge) return json(413, { message: error.message })
    throw error
  }
}

function knownFaults() {
  const table: [string, FaultKind][] = Object.entries(faultTable)
  return table.map(([name, { kind, text, parameters }]) => ({ name, kind, text, parameters }))
}

function knownVariants() {
  const table: [string, VariantPoint][] = Object.entries(variantTable)
  return table.map(([name, point]) => ({ name, ...point }))
}

/** Returns the result of an action, or 400 with the message of its RangeError. */
function attempt(action: () => unknown): EmulatorResponse {
  try {
    return json(200, action())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return json(400, { message: error.message })
  }
}

function* rowList(rows: readonly StoredLogRow[]): Generator<string> {
  yield '{"rows":['
  for (const [index, row] of rows.entries()) yield `${index > 0 ? ',' : ''}${stringifyJson(row)}`
  yield ']}'
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
