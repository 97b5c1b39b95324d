/**
 * Why the replay gets no different response from a mutant. The first words tell whether any client can see it: `Equivalent` or
 * `Not equivalent`.
 */
const reasons: Readonly<Record<string, string>> = {
  'http/find-route.ts:39:91':
    'Not equivalent: a path without an operation breaks the connection instead of a 501. The replay has only operations.',
  'http/find-route.ts:39:76':
    'Equivalent: the operation matters only for a path in another case, which is refused in any case.',
  'http/find-route.ts:11:39': 'Not switched on: the code runs when its module is loaded.',
  'http/parameters.ts:110:10': 'Equivalent: a default is printed with the same digits as a number and as a bigint.',
  'http/parameters.ts:91:7': 'Equivalent without the variant `dateWithoutZone=UTC`.',
  'http/ajv.ts:12:36': 'Equivalent: no request body has an integer, and JSON `null` is refused.',
  'http/list.ts:50:57': 'Equivalent: every item has a `Name`.',
  'http/serve-stated.ts:27:72': 'Equivalent: a body that is too large is refused while it is read.',
  'http/authenticate.ts:53:10': 'Equivalent: a split text always has a first part.',
  'http/refuse.ts:111:7': 'Equivalent without the variant `errorBodies=as published`, which no server of the duel has.',
  'http/rate-limit.ts:60:11': 'Equivalent without the variant `refusedRequests=counted`.',
  'http/content-coding.ts:20:43':
    'Not equivalent: a caller that accepts another coding gets gzip. The replay runs in process, without codings.',
  'http/request-body.ts:64:21': 'Equivalent: a split text always has a first part.',
  'logs/entry.ts:58:9': 'Equivalent: only a cache is unused.',
  'logs/span.ts:42:26': 'Equivalent without the variant `defaultFrom=clamped`.',
  'state/log-store.ts:98:37': 'Equivalent: older rows are read and then left out.',
  'state/log-store.ts:103:45': 'Equivalent: only the control interface reads these rows.',
  'state/log-store.ts:66:42': 'Equivalent: rows are appended in the order of their time.',
  'state/log-store.ts:145:62': 'Equivalent: only the control interface appends rows to a zone with generated traffic.',
  'state/initial.ts:81:20': 'Equivalent: only a change of variants renews the traffic.',
  'state/zones.ts:100:16': 'Equivalent: it concerns only zones that do not exist, which have no logs.',
  'state/resources.ts:88:23': 'Equivalent: only tests and the control interface add zones.',
  'state/read-state.ts:38:26': 'Equivalent: the message of an invalid state file is not served.',
  'handlers/query-logs.ts:77:10': 'Equivalent: only pauses are more frequent.',
  'handlers/query-logs.ts:54:18': 'Equivalent without the variant `emptyPage=null`.',
  'handlers/read-log-file.ts:22:37': 'Equivalent except in the first millisecond of the requested day.',
  'handlers/read-log-file.ts:124:41': 'Equivalent without the variant `fileBlankLines=some`.',
  'handlers/read-log-file.ts:75:65':
    'Not equivalent: the status `4x` is accepted. No tool sends a digit with more text behind it.',
}

/** Returns why the replay sees no difference, for the name of a mutant. */
export function reasonUnseen(name: string): string {
  return reasons[name.split(' ')[0] ?? ''] ?? 'Not examined by hand.'
}
