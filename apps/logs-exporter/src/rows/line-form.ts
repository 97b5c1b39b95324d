import { fromByteText, type RowText, toByteText } from './bytes.ts'
import { safeDigits } from './entry-form.ts'
import type { Privacy } from './privacy.ts'

/** The groups of the expressions below: for each field, its position. The URL also has a group for each of its parts. */
const at = {
  cacheStatus: 1,
  statusCode: 2,
  bytesSent: 4,
  pullZoneId: 5,
  remoteIp: 6,
  referer: 7,
  url: 8,
  scheme: 9,
  host: 10,
  path: 11,
  edgeLocation: 12,
  userAgent: 13,
  requestId: 14,
  countryCode: 15,
  bodyBytesSent: 16,
  contentRange: 17,
  authorizationHeader: 18,
}
const integers = ['statusCode', 'bytesSent', 'pullZoneId', 'bodyBytesSent']
const texts = Object.entries(at).filter(([name]) => !integers.includes(name))

/** A line whose texts need no escapes. */
const plain = toPattern('"\\\\\\x00-\\x1f')
/** A line with texts of any kind. */
const loose = toPattern('\\r\\n')

/**
 * Creates a function that rewrites a line of version 1 in canonical form, without its source.
 *
 * @returns a function of a row and its formatted time. It returns undefined if the row has another number of fields, a long
 *   integer, a URL without `http://` or `https://`, or a text that no sink can hold
 */
export function createLineForm(privacy: Privacy): (row: RowText, time: string) => string | undefined {
  const isCommon = texts.some(([name]) => name !== 'authorizationHeader' && privacy.fields.has(name))
  const dropsAuthorization = privacy.fields.has('authorizationHeader')
  return (row, time) => {
    const groups = isCommon ? null : match(plain, row)
    if (groups && !(dropsAuthorization && groups[at.authorizationHeader] !== undefined))
      return toCanonical(groups, time)
    const any = match(loose, row)
    return any && editTexts(any, privacy) ? toCanonical(any, time) : undefined
  }
}

/**
 * Matches the fields in their order (supplement). Each field is a group; the URL has four groups.
 *
 * @param excluded characters (in the syntax of a character class) that texts do not contain, in addition to the pipe
 */
function toPattern(excluded: string): RegExp {
  const text = `([^|${excluded}]*)`
  const int32 = `(0|[1-9]\\d{0,${safeDigits.int32 - 1}})`
  const int64 = `(0|[1-9]\\d{0,${safeDigits.int64 - 1}})`
  const url = `((https?)://([^|/?#${excluded}]*)([^|${excluded}]*))`
  const fields = [text, int32, int64, int64, int64, text, text, url, text, text, text, text]
  const extended = [`(-|0|[1-9]\\d{0,${safeDigits.int64 - 1}})`, text, text]
  return new RegExp(`${fields.join('\\|')}(?:\\|${extended.join('\\|')})?`, 'y')
}

function match(form: RegExp, { text, start, end }: RowText): string[] | null {
  form.lastIndex = start
  const groups = form.exec(text)
  return form.lastIndex === end ? groups : null
}

/** Applies the privacy rules to each text in place, and escapes it for JSON. Returns false if a text needs a replacement. */
function editTexts(groups: string[], { apply, replacesNul }: Privacy): boolean {
  for (const [name, group] of texts) {
    const bytes = groups[group]
    if (bytes === undefined || bytes === '-') continue
    const value = apply(name, fromByteText(bytes))
    if (replacesNul && bytes.includes('\0')) return false
    groups[group] = typeof value === 'string' ? toByteText(JSON.stringify(value).slice(1, -1)) : '-'
  }
  return true
}

/**
 * Writes the members in the contract's order, with a template: a loop over the columns takes a quarter longer.
 *
 * @param g the groups of a line
 */
function toCanonical(g: readonly string[], time: string): string {
  const request = `{"timestamp":"${time}","pullZoneId":${g[at.pullZoneId]}${member('requestId', g[at.requestId])}`
  const counts = `"statusCode":${g[at.statusCode]},"bytesSent":${g[at.bytesSent]}`
  const client = member('remoteIp', g[at.remoteIp]) + member('countryCode', g[at.countryCode])
  const headers = member('userAgent', g[at.userAgent]) + member('referer', g[at.referer])
  const edge = member('edgeLocation', g[at.edgeLocation])
  const address = `"scheme":"${g[at.scheme]}","host":"${g[at.host]}","path":"${g[at.path]}","url":"${g[at.url]}"`
  const line = `${request},"cacheStatus":"${g[at.cacheStatus]}",${counts}${client}${headers}${edge},${address}`
  if (g[at.authorizationHeader] === undefined) return line
  const bodyBytes = g[at.bodyBytesSent] === '-' ? '' : `,"bodyBytesSent":${g[at.bodyBytesSent]}`
  const range = member('contentRange', g[at.contentRange])
  return `${line}${bodyBytes}${range}${member('authorizationHeader', g[at.authorizationHeader])}`
}

function member(name: string, text: string | undefined): string {
  return text === '-' ? '' : `,"${name}":"${text}"`
}

const parts = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)(.*)$/is

/** The URL of a version 1 row, split into the three fields of version 2. All are null if the text is not an absolute URL. */
interface UrlParts {
  readonly scheme: string | null
  readonly host: string | null
  /** Including the query string. */
  readonly path: string | null
}

/** Splits the URL of a request. */
export function splitUrl(url: string): UrlParts {
  const [, scheme = null, host = null, path = null] = parts.exec(url) ?? []
  return { scheme, host, path }
}
