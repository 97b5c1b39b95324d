import { isIP } from 'node:net'
import { stringifyJson } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'
import type { EmulatorRequest, EmulatorResponse } from '../exchange/messages.ts'
import { empty, json } from '../exchange/refuse.ts'
import type { FaultChoice } from '../faults/fault-choice.ts'
import { faultTable } from '../faults/fault-table.ts'
import type { Faults } from '../faults/faults.ts'
import type { Recorder } from '../journal/journal.ts'
import type { EmulatorClock } from '../platform/clock.ts'
import { readRows, type StoredLogRow } from '../platform/state/log-row.ts'
import { readState } from '../platform/state/read-state.ts'
import type { State } from '../platform/state/state.ts'
import type { TrafficOptions } from '../platform/traffic/options.ts'
import { variantTable } from '../variants/table.ts'
import type { Variants } from '../variants/variants.ts'
import { BodyTooLarge, parseBody } from './request-body.ts'

/** Path prefix of the control interface. The ports of both interfaces serve it. */
const controlPrefix = '/_emulator/'

/** Whether a path leads to the control interface, also with extra slashes at its start, as after a base URL that ends with a slash. */
export const isControlPath = (path: string): boolean => path.replace(/^\/+/, '/').startsWith(controlPrefix)

/** The parts of an emulator that the control interface can read and change. */
export interface ControlledEmulator {
  readonly clock: EmulatorClock
  readonly state: State
  readonly journal: Recorder
  readonly faults: Faults
  readonly variants: Variants
  /** The variants with which the emulator started. */
  readonly firstVariants: Variants
  setVariants(chosen: Partial<Variants>): void
}

interface ControlRequest {
  /** The parsed body of a POST or PUT; undefined if it is not JSON, and for other methods. */
  readonly body: unknown
  readonly query: URLSearchParams
}

/**
 * Serves a request. The result is the JSON of the response, or its text in parts. Without a result, the status is 204. A RangeError
 * becomes a 400 with its message.
 */
type Action = (controlled: ControlledEmulator, request: ControlRequest) => unknown

const actions: Readonly<Record<string, Action>> = {
  'GET state': ({ clock, state: { resources, zones, logs } }) => {
    const rows = Object.fromEntries(zones.keys().map((id) => [id, logs.count(id)]))
    return { now: clock.now(), rows, resources: resources.all }
  },
  'PUT state': ({ state: { resources } }, { body }) => {
    resources.all = { ...resources.all, ...readState(body, resources) }
    return { collections: Object.keys(resources.all) }
  },
  'DELETE state': ({ state }) => state.resources.reset(),
  'GET journal': ({ journal: { entries, violations, dropped } }) => ({ entries, violations, dropped }),
  'DELETE journal': ({ journal }) => journal.clear(),
  'GET faults': ({ faults }) => ({ active: faults.active(), known: named(faultTable) }),
  // Both casts of a body, here and in POST traffic, are safe: `add` and `addTraffic` throw a RangeError for an invalid value.
  'POST faults': ({ faults }, { body }) => {
    faults.add(body as FaultChoice)
    return { active: faults.active() }
  },
  'DELETE faults': ({ faults }) => faults.clear(),
  'GET variants': ({ variants }) => ({ active: variants, known: named(variantTable) }),
  'POST variants': ({ variants, setVariants }, { body }) => {
    if (!isRecord(body)) throw new RangeError('Invalid body: expected {"<name>": <value>, ...}.')
    setVariants(body)
    return { active: variants }
  },
  'DELETE variants': ({ setVariants, firstVariants }) => setVariants(firstVariants),
  'GET log-rows': ({ state }, { query }) => {
    const zoneId = query.get('zone')
    if (!zoneId || !state.zones.has(zoneId))
      throw new RangeError('Unknown zone: expected the id of an existing zone, as ?zone=<id>.')
    const [from, to] = ['from', 'to'].map((name) => {
      const text = query.get(name)
      if (Number.isNaN(Number(text)))
        throw new RangeError(`${name} must be a time in milliseconds since 1970, not ${JSON.stringify(text)}.`)
      return text === null ? undefined : Number(text)
    })
    return rowList(state.logs.rows(zoneId, from, to))
  },
  'POST log-rows': ({ state }, { body }) => {
    const rows = readRows(body)
    state.logs.append(rows)
    return { appended: rows.length }
  },
  'POST traffic': ({ state }, { body }) => ({ zones: state.addTraffic(body as TrafficOptions) }),
  'POST clock/advance': ({ clock }, { body }) => {
    const { ms } = toRecord(body)
    if (typeof ms !== 'number') throw new RangeError('Invalid body: expected {"ms": <milliseconds, 0 or more>}.')
    clock.advance(ms)
    return { now: clock.now() }
  },
}

/**
 * Serves a request to the control interface. The interface requires no credentials, because by default only loopback reaches it.
 *
 * @param hosts permitted host names in lower case
 */
export async function control(
  controlled: ControlledEmulator,
  call: EmulatorRequest,
  hosts: ReadonlySet<string>,
): Promise<EmulatorResponse> {
  const refused = refuseCaller(call, hosts)
  if (refused) return refused
  if (!call.path.startsWith(controlPrefix))
    return json(404, { message: `Doubled slash: request ${call.path.replace(/^\/+/, '/')} instead.` })
  const name = call.path.slice(controlPrefix.length)
  const action = Object.hasOwn(actions, `${call.method} ${name}`) ? actions[`${call.method} ${name}`] : undefined
  if (!action) return json(404, { message: `Unknown path: expected one of ${Object.keys(actions).join(', ')}.` })
  try {
    const hasBody = call.method === 'POST' || call.method === 'PUT'
    const body = hasBody ? parseBody(await call.body()).value : undefined
    const result = action(controlled, { body, query: new URLSearchParams(call.query) })
    return result === undefined
      ? empty(204)
      : isStreamedText(result)
        ? { ...json(200, null), body: result }
        : json(200, result)
  } catch (error) {
    if (error instanceof BodyTooLarge) return json(413, { message: error.message })
    if (error instanceof RangeError) return json(400, { message: error.message })
    throw error
  }
}

/**
 * Refuses web pages. A page whose own name resolves to this machine (DNS rebinding) sends neither an Origin nor a Sec-Fetch-Site with
 * a GET, but its name as Host. So Host must be an IP address, localhost, or a permitted name.
 */
function refuseCaller({ headers }: EmulatorRequest, hosts: ReadonlySet<string>): EmulatorResponse | undefined {
  const host = headers.get('host')?.toLowerCase().replace(/:\d*$/, '') ?? ''
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0 && host !== 'localhost' && !hosts.has(host))
    return json(421, {
      message: 'Unknown Host: expected an IP address, localhost, or a name from --host or --allow-host.',
    })
  if (headers.get('sec-fetch-site') ?? headers.get('origin'))
    return json(403, { message: 'Web pages cannot use the control interface.' })
  return undefined
}

function named(table: Readonly<Record<string, object>>): object[] {
  return Object.entries(table).map(([name, entry]) => ({ name, ...entry }))
}

function isStreamedText(result: unknown): result is Iterable<string> {
  return typeof result === 'object' && result !== null && Symbol.iterator in result
}

function* rowList(rows: readonly StoredLogRow[]): Generator<string> {
  yield '{"rows":['
  for (const [index, row] of rows.entries()) yield `${index > 0 ? ',' : ''}${stringifyJson(row)}`
  yield ']}'
}
