import type { Zone } from '@cdn/emulator'
import { alterAnswer, bodyOf, editJson, keepBody } from '../alter.ts'
import { type Behaviour, type Mutant, mutant, on } from '../mutant.ts'
import { credentialKind, done, refusedAndDone, undoneLater } from './writing.ts'

const referrer = 'management.add-allowed-referrer'

/** Mistakes about allowed referrers (§2, §4.2). */
export const referrerMutants: readonly Mutant[] = [
  mutant(
    'referrer.not-added',
    'A hostname is said to be added and is not.',
    [`${referrer}.effect`],
    onAdd(() => {}),
  ),
  mutant(
    'referrer.replaces',
    'A hostname that is added takes the place of all others.',
    [`${referrer}.one-per-call`],
    onAdd((hostname, { zone }) => void zone.allowedReferrers.splice(0, zone.allowedReferrers.length, hostname)),
  ),
  mutant(
    'referrer.drops-oldest',
    'Whenever a hostname is added, the oldest one is dropped.',
    [`${referrer}.one-per-call`],
    onAdd((hostname, { zone }) => {
      zone.allowedReferrers = [...zone.allowedReferrers.slice(1), hostname]
    }),
  ),
  mutant(
    'referrer.adds-www',
    'Beside a hostname its twin with www is added.',
    [`${referrer}.one-per-call`],
    onAdd((hostname, { zone }) => void zone.allowedReferrers.push(hostname, `www.${hostname}`)),
  ),
  mutant(
    'referrer.wrong-zone',
    'A hostname is added to another pull zone.',
    [`${referrer}.effect`, `${referrer}.zone-id`],
    onAdd((hostname, { other }) => void other.allowedReferrers.push(hostname)),
  ),
  mutant(
    'referrer.every-zone',
    'A hostname is added to all pull zones.',
    [`${referrer}.zone-id`],
    onAdd((hostname, { zone, other }) => {
      for (const { allowedReferrers } of [zone, other]) allowedReferrers.push(hostname)
    }),
  ),
  mutant(
    'referrer.cut',
    'A hostname is cut to 32 characters.',
    [`${referrer}.effect`],
    onAdd((hostname, { zone }) => void zone.allowedReferrers.push(hostname.slice(0, 32))),
  ),
  mutant(
    'referrer.as-url',
    'A hostname is kept as a URL.',
    [`${referrer}.effect`],
    onAdd((hostname, { zone }) => void zone.allowedReferrers.push(`https://${hostname}/`)),
  ),
  mutant(
    'referrer.lost',
    'A hostname that was added is gone a minute later.',
    [`${referrer}.effect`],
    undoneLater(({ state, fixtures }) => {
      const zone = state.zones.get(fixtures.zoneId)
      if (zone) zone.allowedReferrers = []
    }),
  ),
  mutant(
    'referrer.one-text',
    'The allowed referrers are one text with commas.',
    [`${referrer}.collection`],
    alterAnswer(['get-pull-zone'], (answer) =>
      editJson(answer, 200, (zone) => ({ ...zone, AllowedReferrers: String(zone['AllowedReferrers']) })),
    ),
  ),
  mutant(
    'referrer.objects',
    'The allowed referrers are objects.',
    [`${referrer}.collection`],
    alterAnswer(['get-pull-zone'], (answer) =>
      editJson(answer, 200, (zone) => ({
        ...zone,
        AllowedReferrers: ((zone['AllowedReferrers'] ?? []) as string[]).map((Hostname) => ({ Hostname })),
      })),
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
      `A hostname is refused with 401 and added all the same (${kind}).`,
      [`${referrer}.access-key`],
      refusedAndDone('add-allowed-referrer', (sent, emulator) => credentialKind(sent, emulator) === kind),
    ),
  ),
  mutant(
    'referrer.not-removed',
    'A hostname is said to be removed and stays.',
    ['management.remove-allowed-referrer.effect'],
    on(['remove-allowed-referrer'], () => async () => done),
  ),
]

/** Another way to add a hostname to a pull zone; whatever the platform refuses stays refused. */
function onAdd(add: (hostname: string, zones: { zone: Zone; other: Zone }) => void): Behaviour {
  return on(['add-allowed-referrer'], ({ state, fixtures }) => async (received, operation, next) => {
    const call = keepBody(received)
    const zone = state.zones.get(fixtures.zoneId)
    const other = state.zones.get(fixtures.loggedZoneId)
    const before = [...(zone?.allowedReferrers ?? [])]
    const answer = await next(call, operation)
    if (answer.status >= 300 || !zone || !other) return answer
    const { Hostname } = (await bodyOf(call)) as { Hostname: string }
    zone.allowedReferrers = before
    add(Hostname, { zone, other })
    return answer
  })
}
