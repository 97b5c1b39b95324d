/**
 * Why the replay gets no different response from a mutant, or why this suite does not detect it, with the places or the names of the
 * mutants. For the replay, the first words tell whether any client can see it: `Equivalent`, `Not equivalent` or `Not switched on`.
 */
const placesByReason: Readonly<Record<string, readonly string[]>> = {
  'Not switched on: the code runs when its module is loaded.': [
    'http/find-route.ts:7:18',
    'http/find-route.ts:9:55',
    'platform/logs/filters.ts:46:20',
    'platform/state/log-row.ts:40:24',
    'platform/state/log-row.ts:45:16',
    'platform/state/log-row.ts:48:16',
    'platform/state/log-row.ts:65:25',
    'platform/state/log-row.ts:69:78',
    'platform/state/log-row.ts:70:100',
    'platform/state/read-state.ts:59:53',
    'platform/state/resources.ts:48:8',
    'platform/state/resources.ts:48:23',
  ],
  'Equivalent: only the control interface, state files and tests reach it.': [
    'http/dispatch.ts:50:25',
    'platform/state/read-state.ts:15:103',
    'platform/state/read-state.ts:22:17',
    'platform/state/read-state.ts:25:9',
    'platform/state/read-state.ts:26:30',
    'platform/state/read-state.ts:37:7',
    'platform/state/read-state.ts:44:9',
    'platform/state/read-state.ts:48:38',
    'platform/state/read-state.ts:50:28',
    'platform/state/resources.ts:57:10',
    'platform/state/resources.ts:100:61',
    'platform/state/resources.ts:107:51',
    'platform/state/resources.ts:121:13',
    'platform/state/state.ts:85:25',
    'platform/state/state.ts:87:21',
    'platform/state/zones.ts:37:23',
    'platform/state/zones.ts:76:18',
    'platform/state/log-store.ts:112:11',
    'platform/state/log-store.ts:113:33',
    'platform/state/log-store.ts:116:17',
    'platform/state/log-store.ts:116:43',
    'platform/state/log-store.ts:119:14',
    'platform/state/log-store.ts:119:66',
    'platform/state/zones.ts:69:16',
  ],
  'Equivalent without a variant that only the servers with variants have.': [
    'platform/handlers/query-logs.ts:61:54 ConditionalExpression true',
    'http/find-route.ts:32:85',
    'http/parameters.ts:41:53',
    'http/parameters.ts:43:54',
    'http/parameters.ts:76:21',
    'http/parameters.ts:80:7',
    'http/parameters.ts:80:14',
    'http/parameters.ts:80:72',
    'http/parameters.ts:80:105',
    'http/parameters.ts:82:12',
    'http/rate-limit.ts:29:31',
    'http/rate-limit.ts:32:9',
    'http/rate-limit.ts:32:35',
    'http/rate-limit.ts:37:62',
    'http/rate-limit.ts:43:27',
    'http/rate-limit.ts:57:88',
    'http/refuse.ts:86:12',
    'http/serve-stated.ts:47:10',
    'http/serve-stated.ts:50:49',
    'platform/handlers/query-logs.ts:61:54',
    'platform/handlers/read-log-file.ts:44:72',
  ],
  'Equivalent without a variant that contradicts the supplement, which no server of the duel has.': [
    'http/refuse.ts:43:7',
    'http/refuse.ts:94:35',
    'http/refuse.ts:110:10',
    'http/refuse.ts:111:7',
    'http/serve-stated.ts:68:66',
    'platform/handlers/read-log-file.ts:89:46',
    'platform/handlers/read-log-file.ts:90:79',
    'platform/handlers/read-log-file.ts:113:11',
    'http/serve-stated.ts:68:39',
  ],
  'Equivalent in the contract of today: each operation that lists 403 has a code for it, each JSON body is required, each list may be an array, and no operation creates an item.':
    [
      'http/authenticate.ts:39:92',
      'http/request-body.ts:45:7',
      'http/serve-stated.ts:23:61',
      'http/serve-stated.ts:69:47',
      'http/serve-stated.ts:106:52',
      'http/serve-stated.ts:108:19',
      'platform/state/resources.ts:68:54',
      'platform/state/resources.ts:69:27',
      'platform/state/resources.ts:85:32',
      'platform/state/resources.ts:90:19',
    ],
  'Equivalent: the code before or after it has the same effect.': [
    'http/messages.ts:41:11',
    'http/messages.ts:57:34',
    'http/parameters.ts:92:10',
    'http/parameters.ts:92:46',
    'http/parameters.ts:101:9',
    'http/rate-limit.ts:22:12',
    'http/refuse.ts:45:46',
    'http/serve-stated.ts:67:49',
    'platform/handlers/read-log-file.ts:37:56',
    'platform/handlers/read-log-file.ts:63:22',
    'platform/logs/filters.ts:51:79',
    'platform/logs/filters.ts:69:9',
    'platform/logs/read-batches.ts:22:25',
    'platform/logs/read-batches.ts:29:36',
    'platform/state/log-store.ts:100:26',
    'platform/state/state.ts:61:55',
    'platform/state/zones.ts:96:16',
    'http/refuse.ts:93:50',
  ],
  'Not equivalent, but a variant permits it: a bare token, a path in another case or with a slash at its end, the body of its 404, whole codes in `status` of v1. The replay has no such request.':
    [
      'http/authenticate.ts:53:7',
      'http/find-route.ts:32:21',
      'http/find-route.ts:32:42',
      'http/refuse.ts:58:10',
      'platform/handlers/read-log-file.ts:89:16',
    ],
  'Not equivalent: a path without an operation breaks the connection instead of a 501. The replay has only operations.':
    ['http/dispatch.ts:80:7'],
  'Not equivalent: a request body above 5 or 32 MB has another refusal. No tool sends one, and in process it has no Content-Length.':
    ['http/dispatch.ts:90:11', 'http/request-body.ts:26:58', 'http/serve-stated.ts:25:46'],
  'Not equivalent: a caller that refuses gzip (`q=0`) gets it. The replay runs in process, without codings.': [
    'http/messages.ts:57:61',
  ],
  'Not equivalent: more than 1,000 rows in a range, or continuous traffic, are read wrongly. No zone of the duel has either.':
    [
      'platform/handlers/query-logs.ts:41:60',
      'platform/handlers/query-logs.ts:45:9',
      'platform/state/log-store.ts:99:19',
      'platform/state/log-store.ts:101:48',
      'platform/state/log-store.ts:102:34',
    ],
  'Not equivalent: rows with integers above 2^53, zones that drop addresses, or IPv6 addresses that :: shortens elsewhere than at the end are shown wrongly. The duel has none.':
    [
      'platform/logs/format.ts:41:21',
      'platform/logs/format.ts:89:41',
      'platform/logs/format.ts:90:53',
      'platform/logs/format.ts:100:23',
      'platform/logs/format.ts:102:56',
      'platform/logs/format.ts:104:43',
    ],
  'Not equivalent: only a sentence about two problems at once, or about a long token in `search`, is different or missing. No tool sends either.':
    [
      'platform/handlers/read-log-file.ts:28:60',
      'platform/logs/filters.ts:66:9',
      'platform/logs/filters.ts:66:32',
      'platform/logs/filters.ts:67:14',
    ],
  'Missed: only the text of an error is different. Nothing states it.': [
    'http/request-body.ts:55:58',
    'http/request-body.ts:55:32',
    'http/request-body.ts:50:7',
    'http/request-body.ts:48:34',
    'http/request-body.ts:54:72',
    'http/request-body.ts:55:77',
    'http/request-body.ts:47:73',
    'http/serve-stated.ts:55:16',
    'http/serve-stated.ts:55:7',
    'platform/handlers/read-log-file.ts:20:53',
  ],
  'Missed: a permitted variant. Errors have no body or are text, v2 is not compressed, a repeated change is refused, an empty list is null, another Content-Type or a bearer token is accepted, a 429 has Retry-After, a malformed day has another status, or an invalid filter picks no entry instead of a refusal.':
    [
      'http/refuse.ts:112:23',
      'http/refuse.ts:85:17',
      'platform/handlers/query-logs.ts:61:54',
      'http/serve-stated.ts:49:21',
      'http/serve-stated.ts:80:20',
      'http/request-body.ts:47:7',
      'http/authenticate.ts:46:34',
      'http/rate-limit.ts:78:7',
      'http/dispatch.ts:162:18',
      'platform/logs/filters.ts:39:9',
      'platform/logs/filters.ts:58:32',
      'platform/logs/filters.ts:58:9',
      'platform/logs/filters.ts:84:51',
    ],
  'Missed: the log is empty, as that of a pull zone without traffic. The checks are skipped and say so. With `--require`, the run fails, and from the second night on, rows that an earlier night noted are missing.':
    ['platform/state/log-store.ts:86:37', 'platform/state/log-store.ts:136:9', 'platform/state/state.ts:62:35'],
  'Missed: each response is compressed, also for a caller that does not offer it, or none is. HTTP leaves compression to the server.':
    ['http/messages.ts:57:18'],
  'Missed: a malformed id gets 400 instead of 404, or the other way around. The spec does not say that the statuses that it lists are all.':
    ['http/dispatch.ts:163:49'],
  'Missed: nothing states the names of libraries and pull zones, and of their hostnames.': [
    'platform/state/zones.ts:105:29',
    'platform/state/state.ts:68:11',
    'platform/state/zones.ts:93:11',
  ],
  'Missed: extended logging or addresses are shown otherwise than the pull zone is set. These fields may be absent from a row, and a setting may change during the day.':
    [
      'platform/state/zones.ts:41:27',
      'platform/state/zones.ts:97:22',
      'platform/logs/format.ts:87:84',
      'platform/logs/format.ts:88:7',
    ],
  'Missed: the suspended pull zone of the fixtures has no logging. Nothing states that it has, and 403 comes first.': [
    'platform/state/state.ts:56:53',
  ],
}

const reasons = new Map(
  Object.entries(placesByReason).flatMap(([reason, places]) => places.map((place) => [place, reason] as const)),
)

/** Returns the reason for the name of a mutant. */
export function reasonOf(name: string): string {
  return reasons.get(name) ?? reasons.get(name.split(' ')[0] ?? '') ?? 'Not examined by hand.'
}
