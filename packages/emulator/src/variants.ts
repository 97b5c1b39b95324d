import type { Ground } from '@cdn/api/contract'

/** A point on which nobody says what the platform does, and the behaviours that are all permitted there. */
export interface VariantPoint {
  /** What is left open. */
  readonly text: string
  /** The permitted behaviours; the first is the default. */
  readonly values: readonly [string | number, ...(string | number)[]]
  /** Why the default is the default. */
  readonly reason: string
  /** What the default rests on: public facts (`supplement`), or nothing but our own choice (`not shown`). */
  readonly ground: Exclude<Ground, 'document'> | 'not shown'
  /** Where the point stands: a section of the document, or a heading of the supplement. */
  readonly section: string
}

/** Every permitted variant. The table in the README is made from this. */
export const variantTable = {
  addSuccess: {
    text: 'Status of a successful add-allowed-referrer',
    values: [204, 200, 201],
    reason: 'the public reference names 204',
    ground: 'supplement',
    section: '§4.2',
  },
  addTwice: {
    text: 'Adding a hostname that is already there',
    values: ['kept once', 'refused'],
    reason: 'a collection of hostnames gains nothing by a repetition; `refused` answers 400',
    ground: 'not shown',
    section: 'Management',
  },
  removeAbsent: {
    text: 'Status of removing a hostname that is not there',
    values: [204, 404],
    reason: 'afterwards the hostname is not there, as was asked',
    ground: 'not shown',
    section: 'Management',
  },
  deleteAbsentWatermark: {
    text: 'Status of deleting a watermark that is not there',
    values: [204, 404],
    reason: 'the document ties 404 to an absent library, not to an absent watermark',
    ground: 'not shown',
    section: '§4.1',
  },
  watermarkLimit: {
    text: 'Bytes above which a watermark is answered 413',
    values: [5_242_880, 65_536],
    reason: 'public facts name the status without a figure',
    ground: 'not shown',
    section: 'Management',
  },
  emptyReferrers: {
    text: 'AllowedReferrers of a zone without any',
    values: ['array', 'null'],
    reason: 'an empty array is what a reader expects; null is permitted by the public reference',
    ground: 'supplement',
    section: 'Management',
  },
  bearerOnKeyOperation: {
    text: 'A bearer token on an operation whose security lists AccessKey alone',
    values: ['refused', 'accepted'],
    reason: 'the document lists the AccessKey header and no other (§5, rule 3)',
    ground: 'not shown',
    section: '§5',
  },
  bothCredentials: {
    text: 'Both credentials in one request',
    values: ['one valid is enough', 'key decides', 'both must be valid'],
    reason: 'either of the two is accepted (§5); how they combine is not said',
    ground: 'not shown',
    section: '§5',
  },
  missingScope: {
    text: 'Status for a credential without any of the scopes',
    values: [401, 403],
    reason: 'delete-watermark lists 401 for failed authorization and no 403',
    ground: 'not shown',
    section: '§5',
  },
  errorBodies: {
    text: 'Bodies of 401, 404 and 500 of the management interface, where the document does not demand one',
    values: ['present', 'absent'],
    reason: 'the document shows the body; seen live it is often left out',
    ground: 'supplement',
    section: 'Management',
  },
  wrongContentType: {
    text: 'A JSON body sent under another content type',
    values: ['refused', 'accepted'],
    reason: 'the document asks for Content-Type: application/json; `refused` answers 400',
    ground: 'not shown',
    section: '§4.2',
  },
  unknownZone: {
    text: 'Logging status for a pull zone that does not exist',
    values: [403, 404],
    reason: 'most likely 403: an account cannot tell an absent zone from a foreign one',
    ground: 'supplement',
    section: 'Logging v2',
  },
  rateWindow: {
    text: 'How the window of the rate limit moves',
    values: ['sliding', 'fixed', 'bucket'],
    reason: 'the strictest reading of "n requests per window"',
    ground: 'not shown',
    section: '§8',
  },
  rateBuckets: {
    text: 'Whether both logging versions share one limit per zone',
    values: ['shared', 'one each'],
    reason: 'the stricter reading of "per pull zone"',
    ground: 'not shown',
    section: '§8',
  },
  refusedRequests: {
    text: 'Whether refused requests count against the rate limit',
    values: ['not counted', 'counted'],
    reason: 'a caller that keeps asking must get through again',
    ground: 'not shown',
    section: '§8',
  },
  retryAfter: {
    text: 'Retry-After on 429',
    values: ['absent', 'present'],
    reason: 'no response header is documented',
    ground: 'supplement',
    section: 'Logging v2',
  },
  tieOrder: {
    text: 'Order of rows with equal timestamps',
    values: ['shuffled', 'stable'],
    reason: 'no tie-break is stated, so callers must bear any; shuffled for each request',
    ground: 'not shown',
    section: 'Logging v2',
  },
  nullFields: {
    text: 'Optional fields of a log entry that are null',
    values: ['omitted', 'null'],
    reason: 'they are said to be omitted, though an example shows null',
    ground: 'supplement',
    section: 'Logging v2',
  },
  timestampStyle: {
    text: 'How a v2 timestamp ends',
    values: ['Z', '+00:00'],
    reason: 'the public reference shows Z; +00:00 was seen live',
    ground: 'supplement',
    section: 'Logging v2',
  },
  storedPrecision: {
    text: 'Precision in which the store keeps timestamps',
    values: ['millisecond', 'microsecond'],
    reason: 'nothing finer than a millisecond is ever shown',
    ground: 'not shown',
    section: 'Logging v2',
  },
  shownPrecision: {
    text: 'How a finer timestamp is brought to the millisecond that is shown',
    values: ['cut', 'rounded'],
    reason: 'cutting keeps a row inside the range that was asked for',
    ground: 'not shown',
    section: 'Logging v2',
  },
  emptyPage: {
    text: 'data of a page without entries',
    values: ['array', 'null'],
    reason: 'the public schema shows an array; null was seen in third-party code',
    ground: 'supplement',
    section: 'Logging v2',
  },
  requestIds: {
    text: 'Request ids of generated traffic',
    values: ['unique', 'some null', 'some shared'],
    reason: 'an id is said to identify a request, though the schema permits null',
    ground: 'supplement',
    section: 'Logging v2',
  },
  pageCap: {
    text: 'A limit that the server lowers',
    values: ['none', 1000],
    reason: 'limits up to the stated maximum are served as asked',
    ground: 'supplement',
    section: 'Logging v2',
  },
  defaultFrom: {
    text: 'A default from (24 hours before to) that falls before the retention',
    values: ['refused', 'clamped'],
    reason: 'a range that is too old is said to be refused, not clamped',
    ground: 'supplement',
    section: 'Logging v2',
  },
  futureTo: {
    text: 'A to that lies in the future',
    values: ['kept', 'clamped'],
    reason: 'no bound is stated; `clamped` echoes the time of the request',
    ground: 'not shown',
    section: 'Logging v2',
  },
  searchCase: {
    text: 'Case in search, both versions',
    values: ['insensitive', 'sensitive'],
    reason: 'the substring filters beside it ignore case',
    ground: 'not shown',
    section: 'Logging v2',
  },
  unknownParameter: {
    text: 'A query parameter that the contract does not know',
    values: ['ignored', 'refused'],
    reason: 'HTTP servers commonly ignore it; `refused` answers 400',
    ground: 'not shown',
    section: '§4.3',
  },
  repeatedParameter: {
    text: 'A query parameter given more than once',
    values: ['refused', 'first wins'],
    reason: 'none is said to be a list of parameters, so a caller did not mean it',
    ground: 'not shown',
    section: '§4.3',
  },
  fileOrder: {
    text: 'Whether a v1 file obeys sort',
    values: ['sorted', 'unsorted'],
    reason: 'the parameter is stated; `unsorted` swaps neighbours now and then',
    ground: 'supplement',
    section: 'Logging v1',
  },
  fileEnd: {
    text: 'Whether the end index of v1 is exclusive',
    values: ['exclusive', 'inclusive'],
    reason: 'so that end - start is the number of lines',
    ground: 'not shown',
    section: 'Logging v1',
  },
  filePastEnd: {
    text: 'Status of a v1 file whose start lies past the last line',
    values: [204, 200],
    reason: 'both were seen in third-party code',
    ground: 'supplement',
    section: 'Logging v1',
  },
  fileDay: {
    text: 'A v1 day outside today and the days of the retention',
    values: ['refused', 'empty'],
    reason: 'v2 refuses what is too old; `refused` answers 400, `empty` 200 without a line',
    ground: 'not shown',
    section: 'Logging v1',
  },
  fileShield: {
    text: 'Origin-shield rows in v1',
    values: ['included', 'left out'],
    reason: 'v1 has no parameter for them and calls itself raw',
    ground: 'not shown',
    section: 'Logging v1',
  },
  fileBlankLines: {
    text: 'Blank lines in a v1 file',
    values: ['none', 'some'],
    reason: 'seen by third-party code only',
    ground: 'supplement',
    section: 'Logging v1',
  },
  fileErrorBody: {
    text: 'Body of a v1 error',
    values: ['json', 'text'],
    reason: 'the document gives both versions the same errors; `text` is a line that holds the code',
    ground: 'not shown',
    section: 'Logging v1',
  },
} as const satisfies Record<string, VariantPoint>

/** One behaviour chosen at each point. */
export type Variants = { readonly [Name in keyof typeof variantTable]: (typeof variantTable)[Name]['values'][number] }

const points: readonly [string, VariantPoint][] = Object.entries(variantTable)

/**
 * Completes a choice with the defaults.
 *
 * @param chosen behaviours by point; points that are left out take their default, the first permitted value
 * @throws RangeError that names the point where it is unknown, or its value is not a permitted one
 */
export function chooseVariants(chosen: Partial<Variants> = {}): Variants {
  for (const [name, value] of Object.entries(chosen)) {
    const point = points.find(([known]) => known === name)?.[1]
    if (!point)
      throw new RangeError(`There is no variant ${JSON.stringify(name)}; see variantTable for those there are`)
    if (!point.values.includes(value))
      throw new RangeError(`Variant ${name} cannot be ${JSON.stringify(value)}; permitted: ${point.values.join(', ')}`)
  }
  const defaults = Object.fromEntries(points.map(([name, point]) => [name, point.values[0]]))
  return { ...defaults, ...chosen } as Variants
}
