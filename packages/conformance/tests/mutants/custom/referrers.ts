import type { Emulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { alterResponse, bodyOf, editJson, keepBody, withBody } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { credentialKind, refusedAndDone, undoneLater } from './writing.ts'

const referrer = 'management.add-allowed-referrer'

/** Mistakes about allowed referrers (§2, §4.2). */
export const referrerMutants: readonly ServerUnderTest[] = [
  mutant(
    'referrer.drops-oldest',
    'Each addition drops the oldest hostname.',
    [`${referrer}.one-per-call`],
    onAdd((hostname, { zone }) => zone.set([...zone.hostnames.slice(1), hostname])),
  ),
  mutant(
    'referrer.cut',
    'A hostname is cut to 32 characters.',
    [`${referrer}.effect`],
    onAdd((hostname, { zone }) => zone.push(hostname.slice(0, 32))),
  ),
  mutant(
    'referrer.lost',
    'An added hostname is gone a minute later.',
    [`${referrer}.effect`],
    undoneLater((emulator) => referrersOf(emulator, emulator.fixtures.zoneId).set([])),
  ),
  mutant(
    'referrer.one-text',
    'The allowed referrers are one comma-separated text.',
    [`${referrer}.collection`],
    alterResponse(['get-pull-zone'], (response) =>
      editJson(response, 200, (zone) => ({ ...zone, AllowedReferrers: String(zone['AllowedReferrers']) })),
    ),
  ),
  mutant(
    'referrer.json-refused',
    'A body of type application/json is refused with 415.',
    [`${referrer}.2xx`],
    on(['add-allowed-referrer'], () => async () => ({ status: 415, headers: {}, body: null })),
  ),
  ...['none', 'wrong-key'].map((kind) =>
    mutant(
      `referrer.401-and-added.${kind}`,
      `A hostname is refused with 401 and still added (${kind}).`,
      [`${referrer}.access-key`],
      refusedAndDone('add-allowed-referrer', (sent, emulator) => credentialKind(sent, emulator) === kind),
    ),
  ),
  ...(
    [
      [
        'json-string',
        'A JSON string is accepted as the hostname.',
        'request-object',
        (body: unknown) => (typeof body === 'string' ? body : undefined),
      ],
      ['number', 'A number as Hostname is accepted as text.', 'hostname-type', coerced('number')],
      ['true', 'A boolean as Hostname is accepted as text.', 'hostname-type', coerced('boolean')],
      [
        'null',
        'Null as Hostname is accepted as text.',
        'hostname-type',
        (body: unknown) => (hostnameOf(body) === null ? 'null' : undefined),
      ],
    ] as const
  ).map(([id, text, slug, read]) =>
    mutant(
      `referrer.coerces-${id}`,
      text,
      [`${referrer}.${slug}`],
      on(['add-allowed-referrer'], () => async (received, operation, next) => {
        const call = keepBody(received)
        const Hostname = read(await bodyOf(call))
        return next(Hostname === undefined ? call : withBody(call, { Hostname }), operation)
      }),
    ),
  ),
]

function hostnameOf(body: unknown): unknown {
  return toRecord(body)['Hostname']
}

/** Creates a function that converts a Hostname of the given type to text. It returns undefined for other types. */
function coerced(type: 'number' | 'boolean') {
  return (body: unknown) => {
    const value = hostnameOf(body)
    return typeof value === type ? String(value) : undefined
  }
}

interface Referrers {
  readonly hostnames: readonly string[]
  set(hostnames: readonly string[]): void
  push(...hostnames: string[]): void
}

function referrersOf({ state: { resources } }: Emulator, id: string): Referrers {
  const hostnames = defined(resources.item('/pullzone', id))['AllowedReferrers'] as readonly string[]
  const set = (all: readonly string[]) => resources.change('/pullzone', id, { AllowedReferrers: all })
  return { hostnames, set, push: (...added) => set([...hostnames, ...added]) }
}

/** Replaces the effect of adding a hostname to a pull zone. Requests that the platform refuses are left alone. */
function onAdd(add: (hostname: string, zones: { zone: Referrers; other: Referrers }) => void): Behaviour {
  return on(['add-allowed-referrer'], (emulator) => async (received, operation, next) => {
    const call = keepBody(received)
    const zone = referrersOf(emulator, emulator.fixtures.zoneId)
    const other = referrersOf(emulator, emulator.fixtures.loggedZoneId)
    const response = await next(call, operation)
    if (response.status >= 300) return response
    const hostname = String(hostnameOf(await bodyOf(call)))
    zone.set(zone.hostnames)
    add(hostname, { zone, other })
    return response
  })
}
