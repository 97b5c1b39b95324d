import type { EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { bodyOf, keepBody } from '../alter.ts'
import { type Behaviour, mutant, type ServerUnderTest } from '../mutant.ts'
import { seeing } from './parts.ts'

const referrer = 'management.add-allowed-referrer'
const watermark = 'management.delete-watermark'
const adding = ['add-allowed-referrer']
const deleting = ['delete-watermark']

/** Mistakes of the management interface with odd hostnames, ids and bodies. */
export const hostnameMutants: readonly ServerUnderTest[] = [
  mutant(
    'hostname.text-after-body',
    'Whatever follows the first JSON object of the body is ignored.',
    [`${referrer}.request-object`],
    alterBody((bytes) => firstObjectOf(new TextDecoder().decode(bytes))),
  ),
  mutant(
    'hostname.empty-later',
    'An empty hostname is added if the pull zone already has allowed referrers.',
    [`${referrer}.hostname-length`],
    onAdd(({ zone, hostname, response, before, success }) => {
      if (response.status !== 400 || hostname !== '' || before.length === 0) return response
      zone.change([...before, ''])
      return { status: success, headers: {}, body: null }
    }),
  ),
  mutant(
    'hostname.lost-after-refusal',
    'The first addition after a refused one is reported as done, but lost.',
    [`${referrer}.effect`],
    onAdd(({ zone, response, before, memory }) => {
      if (response.status === 400) memory.add(zone.id)
      if (response.status >= 300 || !memory.delete(zone.id)) return response
      zone.change(before)
      return response
    }),
  ),
  mutant(
    'hostname.empty-body-as-html',
    'A request with an empty body fails with a page of HTML.',
    [`${referrer}.error-body`],
    seeing(adding, () => async ({ call, next }) => {
      const repeatable = keepBody(call)
      const response = await next(repeatable)
      if (response.status !== 400 || (await repeatable.body()).length > 0) return response
      return { status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Internal Server Error</h1>' }
    }),
  ),
  mutant(
    'library.id-wraps',
    'An id beyond 64 bits starts again at zero.',
    [`${watermark}.404`],
    misreading((id) => (/^\d{20,}$/.test(id) ? BigInt.asUintN(64, BigInt(id)).toString() : id)),
  ),
]

function idIn({ path }: EmulatorRequest): string {
  return path.split('/')[2] ?? ''
}

function alterBody(change: (bytes: Uint8Array) => string): Behaviour {
  return seeing(adding, () => ({ call, next }) => {
    const body = async () => new TextEncoder().encode(change(await call.body()))
    return next({ ...call, body })
  })
}

/** Returns the shortest beginning of a text that is a JSON object, or the text if none is. */
function firstObjectOf(text: string): string {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      JSON.parse(text.slice(0, end + 1))
      return text.slice(0, end + 1)
    } catch {
      // A longer beginning may be one.
    }
  }
  return text
}

interface Addition {
  readonly zone: { readonly id: string; change(referrers: readonly string[]): void }
  readonly hostname: unknown
  readonly response: EmulatorResponse
  /** The allowed referrers before the addition. */
  readonly before: readonly string[]
  readonly success: number
  readonly memory: Set<string>
}

/** Changes what happens after an addition to an existing pull zone. */
function onAdd(change: (addition: Addition) => EmulatorResponse): Behaviour {
  return seeing(adding, ({ state, variants }) => {
    const memory = new Set<string>()
    return async ({ call: received, next }) => {
      const call = keepBody(received)
      const id = idIn(call)
      const item = state.resources.item('/pullzone', id)
      const before = (item?.['AllowedReferrers'] ?? []) as readonly string[]
      const zone = {
        id,
        change: (AllowedReferrers: readonly string[]) => state.resources.change('/pullzone', id, { AllowedReferrers }),
      }
      const response = await next(call)
      const { Hostname: hostname } = toRecord(await bodyOf(call))
      return item ? change({ zone, hostname, response, before, success: variants.addSuccess, memory }) : response
    }
  })
}

/** Deletes the watermark of another library than the platform would, where the platform finds none. */
function misreading(change: (id: string) => string): Behaviour {
  return seeing(deleting, ({ state }) => async ({ call, next }) => {
    const response = await next(call)
    const id = change(idIn(call))
    if (response.status !== 404 || !state.resources.item('/videolibrary', id)) return response
    state.resources.change('/videolibrary', id, { HasWatermark: false })
    return { status: 204, headers: {}, body: null }
  })
}
