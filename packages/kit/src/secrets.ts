/** Finds and hides secrets: one list of names, one rule for values and one mark, for every program. */

import { hideMembers } from './hide-members.ts'
import { hideKnown } from './known-secrets.ts'
import { decodePercent } from './percent.ts'
import { toRecord } from './record.ts'

/** Replaces each secret. */
export const redacted = '[redacted]'

/** The fields of a contract, and whether the contract says that they hold secrets. */
export type StatedSecrets = Readonly<Record<string, boolean>>

// Parts of a name in lower case with a hyphen between words, such as `aws-signing-key`.
const word =
  'o?auth|bearer|creds|csrf|dsn|hmac|jwt|keys?|licen[cs]e|t?otp|pass|pem|pin|private|pwd|refresh|sas|sid|sig|webhook|xsrf'
const compound =
  '(?:api|access|auth|authentication|certificate|encryption|private|secret|security|signing|ssh|licen[cs]e)key'
const end = `(?:${compound}|authorization|basic-?auth|connection-?string|cookie|credential|pass-?phrase|passw(?:or[dt]|d)|sec-?private|secret|session|signature|token)s?`
const secretName = new RegExp(`(?:\\b(?:${word})|${end})(?:-?(?:hash|headers?|ids?|pem|seed|urls?|values?))*-?$`)
const publicKey = /\b(?:cache|foreign|idempotency|object|partition|primary|public|sort|surrogate)-?keys?-?$/
/** Further parameters of URLs that hold secrets: parameters of OAuth and of signed URLs. */
const secretParameters = ['code', 'policy', 'verify', 'md5']

/** Known decisions of `isSecret`. The same few names occur again and again. */
const decided = new Map<string, boolean>()
const maxDecided = 1000

/**
 * Whether a field, header, parameter or cookie of this name holds a secret. Case, punctuation and percent-encoding do not matter.
 *
 * @param stated decides about the fields of a contract
 */
export function isSecret(name: string, stated: StatedSecrets = {}): boolean {
  if (Object.hasOwn(stated, name)) return stated[name] === true
  let holds = decided.get(name)
  if (holds === undefined) {
    const words = (decodePercent(name) ?? name)
      .slice(0, 200)
      .replaceAll(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2-')
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
    holds = secretName.test(words) && !publicKey.test(words)
    if (decided.size >= maxDecided) decided.clear()
    decided.set(name, holds)
  }
  return holds
}

/** A field of a log line of version 1. Extended fields follow the plain ones. */
interface LineField {
  readonly name: string
  readonly extended?: boolean
}

/** What a redactor hides in addition to what looks like a secret. */
export interface RedactorOptions {
  /** Known secrets, such as the credentials of a request; those of fewer than 6 characters are ignored. */
  readonly secrets?: readonly string[] | undefined
  readonly stated?: StatedSecrets | undefined
  /** Further names of parameters in URLs. */
  readonly parameters?: readonly string[] | undefined
  /** The fields of a log line of version 1. */
  readonly lineFields?: readonly LineField[] | undefined
}

/** Hides secrets. To redact a result again changes nothing. */
export type Redactor = ReturnType<typeof createRedactor>

/** Maximum depth of JSON. Deeper lists and objects are hidden, because they could overflow the stack. */
const maxDepth = 200

/** Creates a redactor. Known secrets are prepared when the first text is redacted. */
export function createRedactor({ secrets = [], stated, parameters = [], lineFields }: RedactorOptions = {}) {
  let known: ((text: string) => string) | undefined
  const isField = (name: string) => isSecret(name, stated)
  const further = new Set([...secretParameters, ...parameters.map((name) => name.toLowerCase())])
  const isParameter = (name: string) => isField(name) || further.has(name.toLowerCase())

  /** Hides known secrets, and texts that have the form of a credential, such as a JWT. Ignores names. */
  function credentials(input: string): string {
    known ??= hideKnown(secrets, redacted)
    return hideForms(known(input))
  }

  /** Hides known secrets in a text, and everything that looks like a secret. */
  function text(input: string): string {
    let shown = credentials(input)
    if (lineFields) {
      const lines = shown.split(/(\n|\\n)/)
      shown = lines.map((each) => hideInLine(each, lineFields)).join('')
    }
    if (shown.includes('"')) shown = hideMembers(shown, isField, redacted)
    if (shown.includes(':')) shown = hideHeaders(shown, isField)
    return hideParameters(shown, inText, isParameter)
  }

  /** Hides secrets in parsed JSON. Returns the value itself if it holds no secret. Numbers, booleans and empty texts are shown. */
  function value<Value>(input: Value): Value {
    return hide(input, false, 0) as Value // of the same form, with other texts
  }

  function hide(input: unknown, isHidden: boolean, depth: number): unknown {
    if (typeof input === 'string') return input === '' ? input : isHidden ? redacted : text(input)
    if (typeof input !== 'object' || input === null) return input
    if (depth > maxDepth) return redacted
    if (Array.isArray(input)) {
      const members = input.map((each) => hide(each, isHidden, depth + 1))
      return members.every((each, index) => each === input[index]) ? input : members
    }
    const record = toRecord(input)
    const label = 'value' in record ? ['name', 'key', 'header'].find((key) => key in record) : undefined
    let isSame = true
    const members = Object.entries(record).map(([key, each]) => {
      const name = key === 'value' && label ? String(record[label]) : key
      const member = hide(each, isHidden || (key !== label && isField(name)), depth + 1)
      const shownKey = text(key)
      isSame &&= member === each && shownKey === key
      return [shownKey, member] as const
    })
    return isSame ? input : Object.fromEntries(members)
  }

  return {
    credentials,
    text,
    value,
    /** Hides secrets in a URL, or in its path and query. A blank or a quote does not end a secret, because a URL has none. */
    url: (input: string): string => hideForms(hideParameters(input, inUrl, isParameter)),
  }
}

// A name and its value in a query, a fragment, or a path such as `/bcdn_token=...&expires=.../file`.
const inUrl = /([?&;#/]|^)([^=?&;#/]+)=[^?&;#/]+/g
const inText = /([?&;#/"'`\s]|^)([^=?&;#/"'`\s]+)=[^?&;#/"'`\s]+/g

function hideParameters(text: string, pattern: RegExp, isParameter: (name: string) => boolean): string {
  if (!text.includes('=')) return text
  return text.replace(pattern, (match, before: string, name: string) =>
    isParameter(name) ? `${before}${name}=${redacted}` : match,
  )
}

// The user of `https://user:password@host/`.
const userInfo = /((?:\/|\\\/){2})[^/?#"'\s\\]*@/g
// After the scheme, the listed words are prose, as in `Bearer token expected`, or a challenge, as in `Basic realm="x"`.
const scheme =
  /\b(bearer|basic)(\s+|%20|\+)(?!(?:realm|error|scope|charset)=|(?:tokens?|auth|authenti\w+|authori\w+|credentials?|scheme|is|or|and)(?![\w.~+/=-]))[\w.~+/=%-]+/gi
// Each run of characters is searched once, because it is searched only from its start.
const jwt = /(?<![\w-])(?=[\w-]*\.[\w-]+\.)[\w-]*?eyJ[\w-]*\.[\w-]+\.[\w-]*/g

function hideForms(text: string): string {
  let shown = text
  if (shown.includes('@')) shown = shown.replace(userInfo, `$1${redacted}@`)
  if (/bearer|basic/i.test(shown)) shown = shown.replace(scheme, `$1$2${redacted}`)
  return shown.includes('eyJ') ? shown.replace(jwt, redacted) : shown
}

// A line of a text, and a line of a text within JSON, which ends at the quote or at an escaped line break.
const line = /(^|[\r\n])([ \t]*([\w.-]+)[ \t]*:[ \t]*)[^\r\n]+/g
const escapedLine = /("|\\[rn])([ \t]*([\w.-]+)[ \t]*:[ \t]*)[^\r\n"\\]*(?:\\(?![rn])[^\r\n"\\]*)*/g
// The headers of the platform's credentials, anywhere in a line.
const credential = /\b(authorization|access-?key)(\s*[:=] ?)[^\r\n,;&}"]+/gi

function hideHeaders(text: string, isField: (name: string) => boolean): string {
  const hide = (match: string, start: string, label: string, name: string) =>
    isField(name) ? start + label + redacted : match
  return text.replace(line, hide).replace(escapedLine, hide).replace(credential, `$1$2${redacted}`)
}

/**
 * Hides the credential in a line of version 1. Its position is reliable in a line with all fields, because the server removes pipes from
 * texts. In a line with some extended fields, or too many, each field after the plain ones may be the credential.
 */
function hideInLine(text: string, fields: readonly LineField[]): string {
  const values = text.split('|')
  const plain = fields.filter(({ extended }) => !extended).length
  if (values.length <= plain) return text
  if (values.length !== fields.length) return [...values.slice(0, plain), redacted].join('|')
  const hide = (value: string, name = '') => (/^-?$/.test(value) || !isSecret(name) ? value : redacted)
  return values.map((value, index) => hide(value, fields[index]?.name)).join('|')
}
