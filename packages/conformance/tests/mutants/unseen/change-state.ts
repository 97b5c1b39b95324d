/** Servers that leave another state behind than the platform does: the state is replaced after a request, or a read shows an earlier one. */
import type { Item, ModelState } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { bodyOf, keepBody } from '../alter.ts'
import { type Behaviour, on } from '../mutant.ts'
/** One request that changes something, after the platform has served it. */
export interface Served {
  readonly call: EmulatorRequest
  readonly emulator: Emulator
  readonly response: EmulatorResponse
  readonly isDone: boolean
  /** The decoded id in the path. */
  readonly id: string
  /** The hostname in the body. */
  readonly hostname: unknown
  readonly isToken: boolean
  readonly before: ModelState
  readonly after: ModelState
  readonly now: number
}

/** Returns the state that the faulty server has afterwards. */
export type Change = (served: Served) => ModelState

export const collections = { library: '/videolibrary', zone: '/pullzone' } as const

/** Replaces the state after each request of an operation. Each server has a memory of its own. */
export function after(name: string, create: () => Change): Behaviour {
  return on([name], (emulator) => {
    const change = create()
    return async (received, operation, next) => {
      const call = keepBody(received)
      const { resources } = emulator.state
      const before = resources.all
      const response = await next(call, operation)
      resources.all = change({
        call,
        emulator,
        response,
        isDone: response.status < 300,
        id: decodeURIComponent(call.path.split('/')[2] ?? ''),
        hostname: toRecord(await bodyOf(call))['Hostname'],
        isToken: !call.headers.get('AccessKey') && Boolean(call.headers.get('Authorization')),
        before,
        after: resources.all,
        now: emulator.clock.now().getTime(),
      })
      return response
    }
  })
}

/** Changes what a success leaves behind. */
export const onSuccess = (name: string, change: Change) =>
  after(name, () => (served) => (served.isDone ? change(served) : served.after))

/** A refusal with some status has the effect of a success. */
export const onRefusal = (name: string, status: number, change: Change) =>
  after(name, () => (served) => (served.response.status === status ? change(served) : served.after))

/** Undoes each change of an operation when some requests, or some time, have passed. */
export function undone(
  name: string,
  isOver: (passed: { readonly ms: number; readonly reads: number }) => boolean,
): Behaviour {
  return (emulator) => {
    let last: { readonly at: number; readonly undo: (state: ModelState) => ModelState; reads: number } | undefined
    return async (call, operation, next) => {
      const { resources } = emulator.state
      const at = emulator.clock.now().getTime()
      if (last && isOver({ ms: at - last.at, reads: last.reads })) {
        resources.all = last.undo(resources.all)
        last = undefined
      }
      if (last && operation.effect === 'read' && operation.interface === 'management') last.reads++
      const before = resources.all
      const response = await next(call, operation)
      if (operation.name === name && resources.all !== before) {
        const items = Object.fromEntries(Object.entries(before).filter(([path, list]) => resources.all[path] !== list))
        last = { at, reads: 0, undo: (state) => ({ ...state, ...items }) }
      }
      return response
    }
  }
}

/** Changes the fields of the selected items. */
export function edit(
  state: ModelState,
  path: string,
  selects: (id: string, index: number, items: readonly Item[]) => boolean,
  fields: (item: Item) => Item,
): ModelState {
  const change = (item: Item, index: number, items: readonly Item[]) =>
    selects(String(item['Id']), index, items) ? { ...item, ...fields(item) } : item
  return { ...state, [path]: (state[path] ?? []).map(change) }
}

export const mark = (state: ModelState, HasWatermark: boolean, selects: Parameters<typeof edit>[2]) =>
  edit(state, collections.library, selects, () => ({ HasWatermark }))

export const list = (
  state: ModelState,
  selects: string | Parameters<typeof edit>[2],
  change: (hostnames: readonly unknown[]) => readonly unknown[],
) =>
  edit(state, collections.zone, typeof selects === 'string' ? (id) => id === selects : selects, (item) => ({
    AllowedReferrers: change((item['AllowedReferrers'] ?? []) as readonly unknown[]),
  }))

export const hostnamesOf = (state: ModelState, id: string) =>
  (state[collections.zone]?.find((item) => String(item['Id']) === id)?.['AllowedReferrers'] ?? []) as unknown[]

/** Whether an item follows the one with the id. */
export const follows =
  (id: string) =>
  (_: string, index: number, items: readonly Item[]): boolean =>
    items.findIndex((item) => String(item['Id']) === id) === index - 1

export const bits32 = (id: string) => (/^\d+$/.test(id) ? BigInt.asUintN(32, BigInt(id)).toString() : id)

/** Stores another value than the one of the request. */
export const storing = (change: (hostname: string) => string) =>
  onSuccess('add-allowed-referrer', ({ before, after: state, id, hostname }) =>
    state === before || typeof hostname !== 'string'
      ? state
      : list(before, id, (hostnames) => [...hostnames, change(hostname)]),
  )

export const isScope = ({ call, emulator }: Served, scope: string) =>
  call.headers.get('Authorization') === `Bearer ${emulator.fixtures.credentials.byScope[scope]}`

/** Shows the first response of a read again. */
export function stale(name: string): Behaviour {
  return on([name], () => {
    const first = new Map<string, EmulatorResponse>()
    return async (call, operation, next) => {
      const response = await next(call, operation)
      const shown = first.get(`${call.path}?${call.query}`) ?? response
      if (response.status === 200) first.set(`${call.path}?${call.query}`, shown)
      return response.status === 200 ? shown : response
    }
  })
}
