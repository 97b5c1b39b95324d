import type { EmulatorRequest } from '@cdn/emulator'
import { type Behaviour, mutant, type ServerMutant } from '../mutant.ts'
import {
  after,
  bits32,
  collections,
  edit,
  follows,
  hostnamesOf,
  isScope,
  list,
  mark,
  onRefusal,
  onSuccess,
  type Served,
  stale,
  storing,
  undone,
} from './change-state.ts'

const deletion = 'management.delete-watermark'
const addition = 'management.add-allowed-referrer'
const removal = 'management.remove-allowed-referrer.effect'
const upload = 'management.put-watermark.effect'

/** A refused deletion deletes. */
const deletingRefused = (applies: (served: Served) => boolean) =>
  after('delete-watermark', () => (served) => {
    const isRefused = [401, 403].includes(served.response.status)
    return isRefused && applies(served) ? mark(served.after, false, (id) => id === served.id) : served.after
  })

function hasCredential({ headers }: EmulatorRequest): boolean {
  return Boolean(headers.get('AccessKey') ?? headers.get('Authorization'))
}

const deletes = (id: string, text: string, breaks: string, behaviour: Behaviour) =>
  mutant(`state.delete-${id}`, text, [`${deletion}.${breaks}`], behaviour)
const adds = (id: string, text: string, breaks: string, behaviour: Behaviour) =>
  mutant(`state.add-${id}`, text, [`${addition}.${breaks}`], behaviour)
const removes = (id: string, text: string, behaviour: Behaviour) =>
  mutant(`state.remove-${id}`, text, [removal], behaviour)
const puts = (id: string, text: string, behaviour: Behaviour) => mutant(`state.put-${id}`, text, [upload], behaviour)

const del = 'delete-watermark'
const add = 'add-allowed-referrer'
const remove = 'remove-allowed-referrer'
const put = 'put-watermark'

const ofWatermarks: readonly ServerMutant[] = [
  deletes(
    'nothing',
    'A deletion deletes nothing.',
    'effect',
    onSuccess(del, ({ before }) => before),
  ),
  deletes(
    'nothing-for-token',
    'A deletion with a token deletes nothing.',
    'bearer',
    onSuccess(del, ({ isToken, before, after }) => (isToken ? before : after)),
  ),
  deletes(
    'nothing-for-subuser',
    'A token with only the scope SubuserStream deletes nothing.',
    'scope-subuser-stream',
    onSuccess(del, (served) => (isScope(served, 'SubuserStream') ? served.before : served.after)),
  ),
  deletes(
    'next-too',
    'A deletion hits the next library as well.',
    'library-id',
    onSuccess(del, ({ after, id }) => mark(after, false, follows(id))),
  ),
  deletes(
    'last-too',
    'A deletion with a token hits the last library as well.',
    'library-id',
    onSuccess(del, ({ after, isToken }) =>
      isToken ? mark(after, false, (_, index, items) => index === items.length - 1) : after,
    ),
  ),
  deletes(
    'all',
    'A deletion hits all libraries.',
    'library-id',
    onSuccess(del, ({ after }) => mark(after, false, () => true)),
  ),
  deletes(
    'first-only',
    'A deletion has an effect on the first library of the list only.',
    'effect',
    onSuccess(del, ({ before, after, id }) =>
      String(after[collections.library]?.[0]?.['Id']) === id ? after : before,
    ),
  ),
  deletes(
    'returns-after-2s',
    'The watermark is back after two seconds.',
    'effect',
    undone(del, ({ ms }) => ms >= 2_000),
  ),
  deletes(
    'returns-after-20s',
    'The watermark is back after twenty seconds.',
    'effect',
    undone(del, ({ ms }) => ms >= 20_000),
  ),
  deletes(
    'returns-on-third-read',
    'The watermark is back after three reads.',
    'effect',
    undone(del, ({ reads }) => reads >= 3),
  ),
  deletes(
    'twice-restores',
    'A second deletion brings the watermark back.',
    'effect',
    onSuccess(del, ({ before, after, id }) => (before === after ? mark(after, true, (other) => other === id) : after)),
  ),
  deletes(
    'without-credentials',
    'A request without credentials is refused, but deletes.',
    '401',
    deletingRefused(({ call }) => !hasCredential(call)),
  ),
  deletes(
    'expired',
    'An expired token is refused, but deletes.',
    '401',
    deletingRefused(({ call, emulator }) =>
      Boolean(call.headers.get('Authorization')?.endsWith(emulator.fixtures.credentials.expired)),
    ),
  ),
  deletes(
    'wrong-key',
    'A wrong key is refused, but deletes.',
    '401',
    deletingRefused(({ call, emulator }) => {
      const key = call.headers.get('AccessKey')
      return key !== null && !emulator.state.keys.has(key)
    }),
  ),
  deletes(
    'without-scope',
    'A token without a scope is refused, but deletes.',
    'scope-missing',
    deletingRefused(({ call, emulator }) =>
      Boolean(call.headers.get('Authorization')?.endsWith(emulator.fixtures.credentials.noScope)),
    ),
  ),
  deletes(
    'without-scope-key',
    'A key without a scope is refused, but deletes.',
    'scope-missing',
    deletingRefused(({ call, emulator }) => call.headers.get('AccessKey') === emulator.fixtures.credentials.noScopeKey),
  ),
  deletes(
    'double-precision',
    'A 404 for an odd id above 2^53 deletes the watermark of the library with the id below.',
    '404',
    onRefusal(del, 404, ({ after, id }) => mark(after, false, (other) => Number(other) === Number(id))),
  ),
  deletes(
    'id-of-32-bits',
    'A 404 for an id beyond 32 bits deletes the watermark of the library with the lower bits.',
    '404',
    onRefusal(del, 404, ({ after, id }) => mark(after, false, (other) => other === bits32(id))),
  ),
  deletes(
    'encoded-digit',
    'A deletion whose id has a percent-encoded digit is reported as done, but deletes nothing.',
    'effect',
    onSuccess(del, ({ call, before, after }) => (call.path.includes('%3') ? before : after)),
  ),
  deletes(
    'clears-referrers',
    'A deletion empties the allowed referrers of the pull zones.',
    'library-id',
    onSuccess(del, ({ after }) =>
      list(
        after,
        () => true,
        () => [],
      ),
    ),
  ),
  deletes(
    'library-too',
    'A second deletion of the watermark removes the library.',
    'effect',
    onSuccess(del, ({ before, after, id }) =>
      before === after
        ? {
            ...after,
            [collections.library]: (after[collections.library] ?? []).filter((item) => String(item['Id']) !== id),
          }
        : after,
    ),
  ),
  deletes(
    'name-too',
    'A deletion empties the name of the library.',
    'effect',
    onSuccess(del, ({ after, id }) =>
      edit(
        after,
        collections.library,
        (other) => other === id,
        () => ({ Name: '' }),
      ),
    ),
  ),
  deletes(
    'third-nothing',
    'Every third deletion deletes nothing.',
    'effect',
    after(del, () => {
      let count = 0
      return ({ isDone, before, after: state }) => (isDone && ++count % 3 === 0 ? before : state)
    }),
  ),
  deletes(
    'lost-after-refusal',
    'The first deletion after a refused one deletes nothing.',
    'effect',
    after(del, () => {
      let refused = false
      return ({ isDone, before, after: state }) => {
        const isLost = isDone && refused
        refused = !isDone
        return isLost ? before : state
      }
    }),
  ),
  puts(
    'all',
    'An upload sets the watermark of all libraries.',
    onSuccess(put, ({ after }) => mark(after, true, () => true)),
  ),
  puts(
    'nothing-for-token',
    'An upload with a token sets nothing.',
    onSuccess(put, ({ isToken, before, after }) => (isToken ? before : after)),
  ),
  puts(
    'gone-after-5s',
    'An uploaded watermark is gone after five seconds.',
    undone(put, ({ ms }) => ms >= 5_000),
  ),
  deletes('item-stale', 'A read of one library never changes.', 'effect', stale('get-video-library')),
  deletes('list-stale', 'The list of libraries never changes.', 'effect', stale('list-video-libraries')),
]

const ofReferrers: readonly ServerMutant[] = [
  adds(
    'replaces',
    'An addition replaces the list.',
    'one-per-call',
    onSuccess(add, ({ after, id, hostname }) => list(after, id, () => [hostname])),
  ),
  adds(
    'lower-case',
    'A hostname is stored in lower case.',
    'effect',
    storing((text) => text.toLowerCase()),
  ),
  adds(
    'trimmed',
    'Blanks at the end of a hostname are cut.',
    'effect',
    storing((text) => text.trimEnd()),
  ),
  adds(
    'cut-128',
    'A hostname is cut after 128 characters.',
    'effect',
    storing((text) => text.slice(0, 128)),
  ),
  adds(
    'wildcard-lost',
    'The wildcard of a hostname is lost.',
    'effect',
    storing((text) => text.replace(/^\*\./, '')),
  ),
  adds(
    'ascii-only',
    'A character beyond ASCII is stored as a question mark.',
    'effect',
    storing((text) => text.replaceAll(/[^\0-\x7f]/g, '?')),
  ),
  adds(
    'duplicate',
    'An addition adds the hostname twice.',
    'one-per-call',
    onSuccess(add, ({ before, after, id, hostname }) =>
      before === after ? after : list(after, id, (all) => [...all, hostname]),
    ),
  ),
  adds(
    'www-too',
    'An addition adds the hostname with www., too.',
    'one-per-call',
    onSuccess(add, ({ after, id, hostname }) => list(after, id, (all) => [...all, `www.${hostname}`])),
  ),
  adds(
    'next-too',
    'An addition changes the next pull zone, too.',
    'zone-id',
    onSuccess(add, ({ after, id, hostname }) => list(after, follows(id), (all) => [...all, hostname])),
  ),
  adds(
    'last-zone-too',
    'An addition changes the last pull zone, too.',
    'zone-id',
    onSuccess(add, ({ after, hostname }) =>
      list(
        after,
        (_, index, all) => index === all.length - 1,
        (all) => [...all, hostname],
      ),
    ),
  ),
  adds(
    'capped',
    'The list keeps its last three hostnames.',
    'one-per-call',
    onSuccess(add, ({ after, id }) => list(after, id, (all) => all.slice(-3))),
  ),
  adds(
    'full',
    'A fourth hostname is not added.',
    'effect',
    onSuccess(add, ({ after, id }) => list(after, id, (all) => all.slice(0, 3))),
  ),
  adds(
    'empty-refused',
    'An empty hostname is refused, but added.',
    'hostname-length',
    onRefusal(add, 400, ({ after, id, hostname }) =>
      hostname === '' ? list(after, id, (all) => [...all, '']) : after,
    ),
  ),
  adds(
    'number-refused',
    'A number as hostname is refused, but added as text.',
    'hostname-type',
    onRefusal(add, 400, ({ after, id, hostname }) =>
      typeof hostname === 'number' ? list(after, id, (all) => [...all, String(hostname)]) : after,
    ),
  ),
  adds(
    'refusal-empties',
    'A refused body empties the list.',
    'request-object',
    onRefusal(add, 400, ({ after, id }) => list(after, id, () => [])),
  ),
  adds(
    'without-credentials',
    'A request without credentials is refused, but adds.',
    'access-key',
    onRefusal(add, 401, ({ call, after, id, hostname }) =>
      hasCredential(call) ? after : list(after, id, (all) => [...all, hostname]),
    ),
  ),
  adds(
    'id-of-32-bits',
    'A 404 for an id beyond 32 bits adds to the pull zone with the lower bits.',
    'zone-id',
    onRefusal(add, 404, ({ after, id, hostname }) => list(after, bits32(id), (all) => [...all, hostname])),
  ),
  adds(
    'absent-to-first',
    'A 404 for an absent pull zone adds to the first one.',
    'zone-id',
    onRefusal(add, 404, ({ after, hostname }) =>
      list(
        after,
        (_, index) => index === 0,
        (all) => [...all, hostname],
      ),
    ),
  ),
  adds(
    'gone-after-4s',
    'An addition is gone after four seconds.',
    'effect',
    undone(add, ({ ms }) => ms >= 4_000),
  ),
  adds(
    'gone-after-30s',
    'An addition is gone after thirty seconds.',
    'effect',
    undone(add, ({ ms }) => ms >= 30_000),
  ),
  adds(
    'twice-removes',
    'Adding a hostname a second time removes it.',
    'effect',
    onSuccess(add, ({ before, id, hostname, after }) =>
      hostnamesOf(before, id).includes(hostname)
        ? list(after, id, (all) => all.filter((each) => each !== hostname))
        : after,
    ),
  ),
  adds(
    'lost-update',
    'An addition within a second of another one starts from the list before it.',
    'one-per-call',
    after(add, () => {
      let last: { readonly at: number; readonly id: string; readonly before: readonly unknown[] } | undefined
      return ({ isDone, now, id, hostname, before, after: state }) => {
        if (!isDone) return state
        const isSoon = last && last.id === id && now - last.at < 1_000
        const base = isSoon && last ? last.before : hostnamesOf(before, id)
        last = { at: now, id, before: base }
        return isSoon ? list(state, id, () => [...base, hostname]) : state
      }
    }),
  ),
  adds(
    'logging-off',
    'An addition switches the logging of the pull zone over.',
    'one-per-call',
    onSuccess(add, ({ after, id }) =>
      edit(
        after,
        collections.zone,
        (other) => other === id,
        (item) => ({ EnableLogging: !item['EnableLogging'] }),
      ),
    ),
  ),
  adds(
    'watermarks',
    'An addition deletes the watermarks of all libraries.',
    'zone-id',
    onSuccess(add, ({ after }) => mark(after, false, () => true)),
  ),
  removes(
    'prefix',
    'A removal removes every hostname that begins with the removed one.',
    onSuccess(remove, ({ before, id, hostname }) =>
      list(before, id, (all) => all.filter((each) => !String(each).startsWith(String(hostname)))),
    ),
  ),
  removes(
    'absent-removes-last',
    'Removing an absent hostname removes the last one.',
    after(
      remove,
      () =>
        ({ before, after: state, id }) =>
          before === state ? list(state, id, (all) => all.slice(0, -1)) : state,
    ),
  ),
  removes(
    'last-stays',
    'The last hostname of a list is not removed.',
    onSuccess(remove, ({ before, after, id }) => (hostnamesOf(after, id).length === 0 ? before : after)),
  ),
  removes(
    'returns-after-5s',
    'A removed hostname is back after five seconds.',
    undone(remove, ({ ms }) => ms >= 5_000),
  ),
  removes(
    'all-zones',
    'A removal removes the hostname from all pull zones.',
    onSuccess(remove, ({ after, hostname }) =>
      list(
        after,
        () => true,
        (all) => all.filter((each) => each !== hostname),
      ),
    ),
  ),
]

/** Mistakes in what a request leaves behind, from §2, §4.1, §4.2, §5, §7 and the supplement's counterparts. */
export const unseenState: readonly ServerMutant[] = [...ofWatermarks, ...ofReferrers]
