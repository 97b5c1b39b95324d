import type { RetryOptions } from './fetch/with-retry.ts'

/** Options of one call, in addition to those of openapi-fetch. They replace the options of the client. */
export interface CallOptions {
  /** How the call is retried; `false`: no retries, not even by a `withRetry` of the client. */
  readonly retry?: RetryOptions | false | undefined
  /** Maximum time of each attempt in milliseconds, including the body, unless it is read as a stream; `false`: unlimited. */
  readonly timeout?: number | false | undefined
  /** Maximum time without incoming data in milliseconds, also of a stream; unlimited by default. */
  readonly idleTimeout?: number | false | undefined
}

// The names of options are checked for callers without types: an option that is ignored in silence costs them hours.

/** Names of options in other clients or at another place, and the right names. */
const rightNames: Readonly<Record<string, string>> = {
  ...{ apikey: 'accessKey', key: 'accessKey', token: 'bearer', url: 'baseUrl', retrie: 'retry', maxretrie: 'retry' },
  ...{ query: 'params.query', path: 'params.path', header: 'headers', json: 'body', data: 'body' },
}

interface KnownOptions {
  /** Subject of the message, such as `A call`. */
  readonly what: string
  readonly names: ReadonlySet<string>
  readonly byPlainName: Readonly<Record<string, string>>
  /** Whether every other option is refused. Other options of `fetch` are not, because runtimes and middlewares add their own. */
  readonly isClosed: boolean
}

/** Describes the known options of something, for `checkOptions`. */
export function listOptions(what: string, names: readonly string[], isClosed = true): KnownOptions {
  const byPlainName = { ...rightNames, ...Object.fromEntries(names.map((name) => [plain(name), name])) }
  return { what, names: new Set(names), byPlainName, isClosed }
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]|(?:ms|s)$/g, '')

const shared =
  'baseUrl headers querySerializer bodySerializer pathSerializer fetch Request retry timeout idleTimeout signal'
const ofCallOnly = 'params body parseAs middleware'
const ofClientOnly = 'accessKey bearer wrap maxBodyBytes debug clock limiter requestInitExt'
export const callOptions = listOptions('A call', `${ofCallOnly} ${shared}`.split(' '), false)
export const clientOptions = listOptions('A client', `${ofClientOnly} ${shared}`.split(' '), false)
export const retryOptions = listOptions('retry', ['attempts', 'firstPauseMs', 'maxPauseMs', 'random', 'sleep'])

/** @throws TypeError for an unknown option whose name is similar to a known one; for every unknown option if `isClosed` */
export function checkOptions(options: object, { what, names, byPlainName, isClosed }: KnownOptions): void {
  for (const name of Object.keys(options)) {
    if (names.has(name)) continue
    const near = Object.hasOwn(byPlainName, plain(name)) ? byPlainName[plain(name)] : undefined
    if (near) throw new TypeError(`${what} has no option ${name}; use ${near}`)
    if (isClosed) throw new TypeError(`${what} has no option ${name}; it has ${[...names].join(', ')}`)
  }
}
