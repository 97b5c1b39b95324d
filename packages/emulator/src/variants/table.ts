/** A point at which the specification leaves the platform's behaviour open, and the permitted behaviours. */
export interface VariantPoint {
  /** The open behaviour. */
  readonly text: string
  /** The permitted behaviours; the first is the default. */
  readonly values: readonly [string | number, ...(string | number)[]]
  /** Reason for the default. */
  readonly reason: string
  /**
   * Basis of the default: public facts (`supplement`), or our choice (`unspecified`). Then the location of the point: a section of
   * the spec, or a heading of the supplement.
   */
  readonly source: `${'supplement' | 'unspecified'}, ${string}`
  /**
   * How the observations of a conformance report show the value. A text such as `logging.query-logs.unknown-zone/status` is a place:
   * the id of an observation, and its member that equals the value. An object lists, for each value, what such places may hold.
   * `never` says why no observation shows the value.
   */
  readonly shown:
    | string
    | Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>
    | { readonly never: string }
}

const success = [200, 201, 204]
const refusal = [400, 401, 403, 404, 405, 409, 415, 422]
/** Creates `shown` of a point with two values that one status tells apart: a success or a refusal. */
const byStatus = (place: string, accepted: string, refused: string) => ({
  [accepted]: { [place]: success },
  [refused]: { [place]: refusal },
})

/** Every permitted variant. The list in docs/emulator.md is generated from this table. */
export const variantTable = {
  // Management interface.
  addSuccess: {
    text: 'Status of a successful add-allowed-referrer',
    values: [204, 200, 201],
    reason: 'the public reference names 204',
    source: 'supplement, §4.2',
    shown: 'management.add-allowed-referrer.success/status',
  },
  addTwice: {
    text: 'Adding a value that is already in a list, such as a hostname',
    values: ['kept once', 'refused'],
    reason: 'a repetition does not change a set of hostnames; `refused` returns 400',
    source: 'unspecified, Management',
    shown: {
      'kept once': {
        'management.add-allowed-referrer.again/status': success,
        'management.add-allowed-referrer.again/kept': [1],
      },
      refused: {
        'management.add-allowed-referrer.again/status': [400],
        'management.add-allowed-referrer.again/kept': [1],
      },
    },
  },
  removeAbsent: {
    text: 'Status of removing a value that is not in a list, such as a hostname',
    values: [204, 404],
    reason: 'the list ends up without the value, as requested',
    source: 'unspecified, Management',
    shown: 'management.remove-allowed-referrer.again/status',
  },
  deleteAbsentWatermark: {
    text: 'Status of deleting a part that a resource does not have, such as a watermark',
    values: [204, 404],
    reason: 'the spec ties 404 to an absent library, not to an absent watermark',
    source: 'unspecified, §4.1',
    shown: 'management.delete-watermark.again/status',
  },
  watermarkLimit: {
    text: 'Maximum size of a watermark in bytes; a larger watermark gets a 413',
    values: [5_242_880, 65_536],
    reason: 'public facts name the status without a figure',
    source: 'unspecified, Management',
    shown: { never: 'only uploads that grow until one is refused would show it' },
  },
  emptyReferrers: {
    text: 'An empty list that may also be null, such as AllowedReferrers',
    values: ['array', 'null'],
    reason: 'an empty array is what a reader expects; null is permitted by the public reference',
    source: 'supplement, Management',
    shown: 'management.list-pull-zones.empty-list',
  },
  listWithoutPage: {
    text: 'Response to a list request without `page`, or with page 0',
    values: ['array', 'page'],
    reason: 'the core OpenAPI promises a plain array; its quickstart shows a page',
    source: 'supplement, Management',
    shown: 'management.list-pull-zones.without-page',
  },
  errorBodies: {
    text: 'Bodies of 401, 403, 404 and 500 of the management interface, unless the spec requires one',
    values: ['as published', 'present', 'absent'],
    reason: 'the core OpenAPI has such bodies only in Get Video Library; the official command line expects no body',
    source: 'supplement, Management',
    shown: {
      'as published': {
        'management.delete-watermark.error-body/body': ['empty'],
        'management.get-video-library.error-body/body': ['JSON'],
      },
      present: {
        'management.delete-watermark.error-body/body': ['JSON'],
        'management.get-video-library.error-body/body': ['JSON'],
      },
      absent: {
        'management.delete-watermark.error-body/body': ['empty'],
        'management.get-video-library.error-body/body': ['empty'],
      },
    },
  },
  wrongContentType: {
    text: 'A JSON body with another content type',
    values: ['refused', 'accepted'],
    reason: 'the spec requires Content-Type: application/json; `refused` returns 400',
    source: 'unspecified, §4.2',
    shown: byStatus('management.add-allowed-referrer.input/body other Content-Type', 'accepted', 'refused'),
  },
  // Credentials, paths, parameters and the rate limit, of both interfaces.
  bearerOnKeyOperation: {
    text: 'A bearer token on an operation whose security lists only AccessKey',
    values: ['refused', 'accepted'],
    reason: 'the spec lists the AccessKey header and no other (§5, rule 3)',
    source: 'unspecified, §5',
    shown: byStatus('management.add-allowed-referrer.bearer/status', 'accepted', 'refused'),
  },
  bareToken: {
    text: 'A token in Authorization without the word Bearer',
    values: ['refused', 'accepted'],
    reason:
      'the spec shows Bearer <JWT> (§5); the core OpenAPI calls the header a plain key, and a client of the platform sends it so',
    source: 'unspecified, §5',
    shown: byStatus('logging.query-logs.bare-token/status', 'accepted', 'refused'),
  },
  bothCredentials: {
    text: 'An API key and a token in one request',
    values: ['one valid is enough', 'key decides', 'both must be valid'],
    reason: 'either of the two is accepted (§5); the spec does not say how they combine',
    source: 'unspecified, §5',
    shown: {
      'one valid is enough': {
        'logging.authentication.both-credentials/status': success,
        'logging.authentication.both-credentials-token/status': success,
      },
      'key decides': {
        'logging.authentication.both-credentials/status': success,
        'logging.authentication.both-credentials-token/status': refusal,
      },
      'both must be valid': {
        'logging.authentication.both-credentials/status': refusal,
        'logging.authentication.both-credentials-token/status': refusal,
      },
    },
  },
  missingScope: {
    text: 'Status for a credential without any of the required scopes',
    values: [401, 403],
    reason: 'delete-watermark lists 401 for failed authorization and no 403',
    source: 'unspecified, §5',
    shown: 'management.delete-watermark.scope-missing-status',
  },
  unknownZone: {
    text: 'Logging status for a pull zone that does not exist',
    values: [403, 404],
    reason: 'most likely 403: an account cannot tell an absent zone from a zone of another account',
    source: 'supplement, Logging v2',
    shown: 'logging.query-logs.unknown-zone/status',
  },
  rateWindow: {
    text: 'How the window of the rate limit moves',
    values: ['sliding', 'fixed', 'bucket'],
    reason: 'the strictest reading of "n requests per window"',
    source: 'unspecified, §8',
    shown: 'logging.query-logs.rate-limit/window',
  },
  rateBuckets: {
    text: 'Whether both logging versions share one limit per zone',
    values: ['shared', 'one each'],
    reason: 'the stricter reading of "per pull zone"',
    source: 'unspecified, §8',
    shown: 'logging.rate-limit.buckets',
  },
  refusedRequests: {
    text: 'Whether refused requests count against the rate limit',
    values: ['not counted', 'counted'],
    reason: 'a caller that keeps sending requests must succeed again',
    source: 'unspecified, §8',
    shown: 'logging.query-logs.rate-limit/refusedRequests',
  },
  retryAfter: {
    text: 'Retry-After on 429',
    values: ['absent', 'present'],
    reason: 'no response header is documented',
    source: 'supplement, Logging v2',
    shown: {
      absent: { 'logging.query-logs.rate-limit/headers': [[]] },
      present: { 'logging.query-logs.rate-limit/headers': [['retry-after']] },
    },
  },
  pathCase: {
    text: 'Wrong letter case in a path',
    values: ['refused', 'ignored'],
    reason: 'paths are compared exactly (RFC 3986); ASP.NET ignores case',
    source: 'unspecified, §4',
    shown: byStatus('management.get-pull-zone.path-case/status', 'ignored', 'refused'),
  },
  trailingSlash: {
    text: 'A slash at the end of a path',
    values: ['refused', 'ignored'],
    reason: 'the spec has no trailing slashes; ASP.NET ignores them',
    source: 'unspecified, §4',
    shown: byStatus('management.get-pull-zone.trailing-slash/status', 'ignored', 'refused'),
  },
  parameterCase: {
    text: 'Wrong letter case in the name of a query parameter (`unknown`: the name counts as unknown)',
    values: ['unknown', 'ignored'],
    reason: 'names are compared exactly, as OpenAPI does; ASP.NET ignores case',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.parameter-case',
  },
  unknownParameter: {
    text: 'A query parameter that is not in the contract',
    values: ['ignored', 'refused'],
    reason: 'HTTP servers commonly ignore it; `refused` returns 400',
    source: 'unspecified, §4.3',
    shown: byStatus('logging.query-logs.parameters/status', 'ignored', 'refused'),
  },
  repeatedParameter: {
    text: 'A query parameter given more than once',
    values: ['refused', 'first wins'],
    reason: 'no parameter is documented as a list, so a repetition is a mistake',
    source: 'unspecified, §4.3',
    shown: 'logging.query-logs.repeated-parameter',
  },
  emptyParameter: {
    text: 'A query parameter with an empty value, such as page=',
    values: ['ignored', 'refused'],
    reason:
      'a client that is generated from the public contract sends page=&perPage= in each list; `refused` returns 400',
    source: 'unspecified, §4.3',
    shown: byStatus('management.list-pull-zones.empty-parameter/status', 'ignored', 'refused'),
  },
  // Version 2 of the logs, and the rows of generated traffic.
  tieOrder: {
    text: 'Order of rows with equal timestamps',
    values: ['shuffled', 'stable'],
    reason: 'no tie-break is stated, so callers must accept any order; `shuffled` differs in each request',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.tie-order',
  },
  nullFields: {
    text: 'Optional fields of a log entry that are null',
    values: ['omitted', 'null'],
    reason: 'the documentation omits them, but an example shows null',
    source: 'supplement, Logging v2',
    shown: 'logging.query-logs.null-fields',
  },
  timestampStyle: {
    text: 'Time zone suffix of v2 timestamps',
    values: ['Z', '+00:00'],
    reason: 'the public reference shows Z; the live platform was observed to send +00:00',
    source: 'supplement, Logging v2',
    shown: 'logging.query-logs.timestamp-style',
  },
  storedPrecision: {
    text: 'Precision of stored timestamps',
    values: ['millisecond', 'microsecond'],
    reason: 'responses never show more than milliseconds',
    source: 'unspecified, Logging v2',
    shown: { never: 'responses show whole milliseconds' },
  },
  shownPrecision: {
    text: 'How a more precise timestamp is converted to milliseconds',
    values: ['cut', 'rounded'],
    reason: 'cutting keeps a row inside the requested range',
    source: 'unspecified, Logging v2',
    shown: { never: 'responses show whole milliseconds' },
  },
  emptyPage: {
    text: '`data` of a page without entries',
    values: ['array', 'null'],
    reason: 'the public schema shows an array; third-party code handles null',
    source: 'supplement, Logging v2',
    shown: {
      array: { 'logging.query-logs.body/schema/properties/data/type': ['array'] },
      null: { 'logging.query-logs.body/schema/properties/data/type': ['null'] },
    },
  },
  requestIds: {
    text: 'Request ids of generated traffic',
    values: ['unique', 'some null', 'some shared'],
    reason: 'an id is documented to identify a request, but the schema permits null',
    source: 'supplement, Logging v2',
    shown: 'logging.query-logs.request-ids',
  },
  loneSurrogates: {
    text: 'Lone surrogates in the texts of generated traffic',
    values: ['replaced', 'raw'],
    reason:
      'the platform is written in .NET, whose JSON writer replaces them by U+FFFD; most parsers refuse the raw form',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.lone-surrogates',
  },
  controlCharacters: {
    text: 'Control characters in the texts of generated traffic, such as U+0000 and terminal escapes',
    values: ['raw', 'absent'],
    reason: 'nothing says that the platform removes them; a web server passes no U+0000 in a header',
    source: 'unspecified, Logging v2',
    shown: { never: 'rows without them may come from visitors that sent none' },
  },
  pageCap: {
    text: 'Maximum page size that the server applies silently',
    values: ['none', 1000],
    reason: 'the server applies any limit up to the stated maximum',
    source: 'supplement, Logging v2',
    shown: {
      none: { 'logging.query-logs.page-cap': [10_000] },
      1000: { 'logging.query-logs.page-cap': [1000] },
    },
  },
  limitTooLarge: {
    text: 'A v2 limit above the maximum',
    values: ['refused', 'lowered'],
    reason: 'the documentation refuses it; the logging OpenAPI says "capped"',
    source: 'supplement, Logging v2',
    shown: byStatus('logging.query-logs.limit-too-large/status', 'lowered', 'refused'),
  },
  defaultFrom: {
    text: 'A default `from` (24 hours before `to`) that is older than the retention',
    values: ['refused', 'clamped'],
    reason: 'the documentation refuses a range that is too old, and does not clamp it',
    source: 'supplement, Logging v2',
    shown: byStatus('logging.query-logs.default-from/status', 'clamped', 'refused'),
  },
  futureTo: {
    text: 'A `to` in the future',
    values: ['kept', 'clamped'],
    reason: 'no bound is stated; `clamped` returns the time of the request',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.future-to',
  },
  dateWithoutZone: {
    text: 'A `from` or `to` without time or time zone',
    values: ['refused', 'UTC'],
    reason: 'the type date-time requires both (RFC 3339); ASP.NET assumes the missing parts',
    source: 'unspecified, Logging v2',
    shown: byStatus('logging.query-logs.date-without-zone/status', 'UTC', 'refused'),
  },
  searchCase: {
    text: 'Case sensitivity of `search`, in both versions',
    values: ['insensitive', 'sensitive'],
    reason: 'the other substring filters ignore case',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.search-case',
  },
  pageCoding: {
    text: 'Encoding of v2 pages for a caller that accepts gzip',
    values: ['gzip', 'identity'],
    reason: 'HTTP servers commonly compress such responses; v1 files are documented as compressed',
    source: 'unspecified, Logging v2',
    shown: 'logging.query-logs.coding',
  },
  // Version 1 of the logs: these names begin with `file`.
  fileOrder: {
    text: 'Whether a v1 file obeys `sort`',
    values: ['sorted', 'unsorted'],
    reason: 'the parameter is documented; `unsorted` swaps some neighbouring lines',
    source: 'supplement, Logging v1',
    shown: 'logging.read-log-file.order',
  },
  fileEnd: {
    text: 'Whether the end index of v1 is exclusive',
    values: ['exclusive', 'inclusive'],
    reason: 'end - start is then the number of lines',
    source: 'unspecified, Logging v1',
    shown: 'logging.read-log-file.end',
  },
  filePastEnd: {
    text: 'Status of a v1 file whose `start` is past the last line',
    values: [204, 200],
    reason: 'both occur in third-party code',
    source: 'supplement, Logging v1',
    shown: 'logging.read-log-file.past-end',
  },
  fileDay: {
    text: 'A v1 day outside today and the days of the retention',
    values: ['refused', 'empty'],
    reason: 'v2 refuses a range that is too old; `refused` returns 400, `empty` 200 without lines',
    source: 'unspecified, Logging v1',
    shown: byStatus('logging.read-log-file.old-day/status', 'empty', 'refused'),
  },
  fileDateForm: {
    text: 'Status of a v1 path whose date has another form than MM-DD-YY',
    values: [403, 400],
    reason: 'a third-party client documents a 403',
    source: 'supplement, Logging v1',
    shown: 'logging.read-log-file.date-form/status',
  },
  fileStatusCodes: {
    text: 'Whole codes, such as 404, in the parameter `status` of v1',
    values: ['class', 'refused'],
    reason:
      'the documentation lists only first digits, but two independent clients send 100,200,300,400,500 in each call; `class` uses the first digit',
    source: 'supplement, Logging v1',
    shown: byStatus('logging.read-log-file.status-codes/status', 'class', 'refused'),
  },
  fileShield: {
    text: 'Origin-shield rows in v1',
    values: ['left out', 'included'],
    reason: 'the logging OpenAPI leaves them out of v2 by default "to match v1"',
    source: 'supplement, Logging v1',
    shown: 'logging.read-log-file.shield',
  },
  fileBlankLines: {
    text: 'Blank lines in a v1 file',
    values: ['none', 'some'],
    reason: 'only third-party code mentions them',
    source: 'supplement, Logging v1',
    shown: 'logging.read-log-file.blank-lines',
  },
  fileErrorBody: {
    text: 'Body of a v1 error',
    values: ['json', 'text'],
    reason: 'the spec states the same errors for both versions; `text` is one line with the code',
    source: 'unspecified, Logging v1',
    shown: {
      json: { 'logging.read-log-file.error-body/body': ['JSON'] },
      text: { 'logging.read-log-file.error-body/body': ['text'] },
    },
  },
} as const satisfies Record<string, VariantPoint>
