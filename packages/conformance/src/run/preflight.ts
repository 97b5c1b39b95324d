/** The preflight of a live run: harmless requests that verify its URLs, credentials and fixtures, and measure the target's clock. */
import { access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { idParameterOf, operationOf } from '../cases/resources.ts'
import type { Fixtures, RunCredentials } from './check.ts'
import { reasonOf, SetupError, SuiteConfigurationError } from './failure.ts'
import { readTextStart } from './recorder.ts'
import { urlBelow } from './requested-operation.ts'
import { parseOrUndefined } from './validate-response.ts'

type Interface = 'management' | 'logging'
type Credential = 'accessKey' | 'bearer'

/** What a live run uses. `now` returns milliseconds since 1970, by the local clock. */
interface Setup {
  readonly urls: Readonly<Record<Interface, URL>>
  readonly fixtures: Fixtures
  readonly now: () => number
}

type Prober = ReturnType<typeof createProber>
/** A response; `json` is undefined if the body is not JSON. */
type PreflightResponse = Awaited<ReturnType<Prober['get']>>

/** Maximum time for a response, in ms. After this time, the target counts as silent. */
const patienceMs = 10_000
/** A `Date` header has a precision of one second, and a response takes some time. */
const clockPrecisionMs = 3_000
/** Pauses before further attempts, in ms. An unexpected response counts only if the last attempt gets it. */
const pausesMs = [100, 200, 400]
/** Maximum length of a body that is read, in characters. It is enough to recognise the server. */
const maxBody = 1_000_000

/**
 * Creates a prober, which sends the harmless requests of a preflight, and measures the offset of the target's clock.
 *
 * @param signal ends the requests and pauses
 */
export function createProber(setup: Setup, send: typeof fetch, signal: AbortSignal) {
  const { urls, fixtures, now } = setup
  const offsets: number[] = []
  let requests = 0
  const once = async (url: URL, headers: Readonly<Record<string, string>>) => {
    requests++
    const sentAt = now()
    const silence = AbortSignal.timeout(patienceMs)
    try {
      const response = await send(url, { headers, redirect: 'manual', signal: AbortSignal.any([signal, silence]) })
      const date = Date.parse(response.headers.get('date') ?? '')
      // The header has whole seconds, so the true time is half a second later on average.
      if (!Number.isNaN(date)) offsets.push(date + 500 - (sentAt + now()) / 2)
      const json = parseOrUndefined(await readTextStart(response, maxBody))
      return { status: response.status, location: response.headers.get('location'), json }
    } catch (error) {
      if (signal.aborted) throw error
      throw new SuiteConfigurationError(silence.aborted ? `no response within ${patienceMs / 1_000} s` : explain(error))
    }
  }
  return {
    ...setup,
    /** Number of requests that were sent. */
    requests: () => requests,
    /**
     * How far the target's clock is ahead of the local clock, in ms, according to its `Date` headers. 0 if the difference
     * is within the precision of the headers.
     */
    clockOffsetMs() {
      const middle = offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? 0
      return Math.abs(middle) <= clockPrecisionMs ? 0 : middle
    },
    /** Reads a path below the URL of an interface; without a path, the URL itself. */
    async get(name: Interface, path?: string, credential?: Credential) {
      const url = path === undefined ? urls[name] : urlBelow(urls[name], path)
      const headers = credential ? headerOf(credential, fixtures.credentials[credential]) : {}
      // A wrong set-up gives the same response each time; a transient error does not.
      for (const pauseMs of pausesMs) {
        const response = await once(url, headers).catch((error) => {
          if (signal.aborted) throw error
        })
        if (response && !isOdd(response)) return response
        await sleep(pauseMs, undefined, { signal })
      }
      return once(url, headers)
    },
  }
}

function isOdd({ status, json }: { readonly status: number; readonly json: unknown }): boolean {
  return status >= 500 || (status >= 300 && status < 400) || (status === 200 && json === undefined)
}

/** A server without HTTP/1.1 refuses the protocol that Node's `fetch` speaks. */
function explain(error: unknown): string {
  const reason = reasonOf(error)
  return /no application protocol/i.test(reason) ? 'it answers HTTP/2 only, and HTTP/1.1 is needed' : reason
}

function headerOf(credential: Credential, value = ''): Record<string, string> {
  const kind = credential === 'bearer' ? 'bearer' : 'key'
  const { header } = defined(contracts.management.schemes.find((scheme) => scheme.kind === kind))
  return { [header]: kind === 'bearer' ? `Bearer ${value}` : value }
}

function resourcePath(name: string, id: string): string {
  const operation = operationOf(name)
  return operation.path.replace(`{${idParameterOf(operation)}}`, id)
}

function orThrow(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError(problems)
}

/**
 * Verifies the URLs and credentials of a live run. Both interfaces must be reachable without a redirect, each at its own
 * URL, and the API key and the bearer token must be valid. If only one interface refuses a credential, the set-up is not
 * wrong: the checks report the refusal.
 *
 * @returns notices for the user, such as a token that expires soon
 * @throws SetupError with one sentence per problem
 */
export async function checkTarget(prober: Prober): Promise<string[]> {
  const { fixtures, now } = prober
  orThrow((await Promise.all([reach(prober, 'management'), reach(prober, 'logging')])).flat())
  const tokens = tokenProblems(fixtures.credentials, now() + prober.clockOffsetMs())
  orThrow([...equalIds(fixtures), ...tokens.problems])
  orThrow(await interfaceAndCredentialProblems(prober))
  const offset = Math.round(prober.clockOffsetMs() / 1_000)
  const clock = `The local clock is ${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'} the target's; the run corrects for it.`
  return [...tokens.notices, ...(offset === 0 ? [] : [clock])]
}

async function reach(prober: Prober, name: Interface): Promise<string[]> {
  try {
    const response = await prober.get(name)
    return isRedirect(response) ? [redirectProblem(prober, name, response)] : []
  } catch (error) {
    if (!(error instanceof SuiteConfigurationError)) throw error
    return [`The ${name} interface cannot be reached at ${prober.urls[name].href}: ${error.message}.`]
  }
}

function isRedirect(response: PreflightResponse | undefined): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400 && response.location !== null
}

function redirectProblem({ urls }: Prober, name: Interface, response: PreflightResponse | undefined): string {
  const to = URL.parse(response?.location ?? '', urls[name])?.origin ?? 'another address'
  return `The ${name} URL ${urls[name].href} redirects to ${to}, and credentials are never sent to the target of a redirect: use that address instead.`
}

/** If the remaining lifetime of a token is shorter than this, in ms, the user is notified. */
const soonMs = 7 * dayMs

/**
 * Compares the expiry of bearer tokens (JWT, §5) with the current time. A token with unreadable claims has no findings.
 *
 * @param now current time of the target's clock, in milliseconds since 1970
 */
function tokenProblems({ bearer, noScope, byScope = {}, expired }: RunCredentials, now: number) {
  const problems: string[] = []
  const notices: string[] = []
  const scoped = Object.entries(byScope).map(([scope, token]) => [`byScope.${scope}`, token] as const)
  for (const [name, token] of [['bearer', bearer], ['noScope', noScope], ...scoped] as const) {
    const expires = expiryOf(token)
    if (expires === undefined) continue
    const day = new Date(expires).toISOString().slice(0, 16)
    if (expires <= now)
      problems.push(`The token credentials.${name} expired at ${day}Z: store a new token in its environment variable.`)
    else if (expires < now + soonMs) notices.push(`The token credentials.${name} expires at ${day}Z.`)
  }
  if ((expiryOf(expired) ?? 0) > now)
    problems.push('The token credentials.expired is still valid: expected an expired token.')
  return { problems, notices }
}

/** Returns the `exp` claim of a JWT in milliseconds since 1970, without verifying the signature. */
function expiryOf(token = ''): number | undefined {
  const claims = parseOrUndefined(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const { exp } = toRecord(claims)
  return typeof exp === 'number' && Math.abs(exp) < 1e11 ? exp * 1_000 : undefined
}

/** What harmless reads of existing resources show; undefined if a fixture or a credential is missing. */
interface Probes {
  /** A record of the management interface, which is of the supplement. */
  readonly record: PreflightResponse | undefined
  readonly page: PreflightResponse | undefined
  readonly pageByBearer: PreflightResponse | undefined
  /** The record, read at the logging URL. */
  readonly swapped: PreflightResponse | undefined
  readonly recordByBearer: PreflightResponse | undefined
}

type Row = readonly [expected: (probes: Probes) => boolean, sentence: (probes: Probes, prober: Prober) => string]

/** What the probes must show, and the problem if they do not. The first mismatch explains the others. */
const table: readonly Row[] = [
  [({ record }) => !isRedirect(record), ({ record }, prober) => redirectProblem(prober, 'management', record)],
  [({ page }) => !isRedirect(page), ({ page }, prober) => redirectProblem(prober, 'logging', page)],
  [
    ({ record, swapped }) => !record || isRecord(record) || !isRecord(swapped),
    () => 'The two URLs are swapped: the logging URL answers as the management interface.',
  ],
  [
    ({ record }) => record?.status === 404 || hasId(record) || !isForeign(record),
    ({ record }, prober) => foreignProblem(prober, 'management', record),
  ],
  [({ page }) => isLogPage(page) || !isForeign(page), ({ page }, prober) => foreignProblem(prober, 'logging', page)],
  [
    ({ record, page }) => !(record ?? page) || [record, page].some((each) => each && !isRefused(each)),
    ({ record, page }) =>
      `The API key (credentials.accessKey) is refused: ${[record && `management ${record.status}`, page && `logging ${page.status}`].filter(Boolean).join(', ')}.`,
  ],
  [
    // A token that either interface accepts is valid.
    ({ page, pageByBearer, recordByBearer }) =>
      !isRefused(pageByBearer) || isRefused(page) || recordByBearer?.status === 200,
    ({ pageByBearer }) => `The bearer token (credentials.bearer) is refused: logging ${pageByBearer?.status}.`,
  ],
  [
    ({ page, pageByBearer = page, record }) => !isRefused(page) || !isRefused(pageByBearer) || record?.status !== 200,
    ({ page }, { fixtures }) =>
      `The API key is valid, but the logs of loggedZoneId ${fixtures.loggedZoneId} are refused (${page?.status}).`,
  ],
  [
    ({ page }) => page?.status !== 404,
    (_, { fixtures }) =>
      `The logging interface answers 404 for loggedZoneId ${fixtures.loggedZoneId}: enable its logging.`,
  ],
]

async function interfaceAndCredentialProblems(prober: Prober): Promise<string[]> {
  const { zoneId, loggedZoneId, libraryId, credentials } = prober.fixtures
  const zone = zoneId ?? loggedZoneId
  const library = libraryId && resourcePath('get-video-library', libraryId)
  const path = zone === undefined ? library : resourcePath('get-pull-zone', zone)
  const logs = loggedZoneId && `${resourcePath('query-logs', loggedZoneId)}?limit=1`
  const get = async (name: Interface, path: string | undefined, kind: Credential, isNeeded = true) =>
    isNeeded && path !== undefined && credentials[kind] !== undefined ? prober.get(name, path, kind) : undefined
  const [record, page, pageByBearer] = await Promise.all([
    get('management', path, 'accessKey'),
    get('logging', logs, 'accessKey'),
    get('logging', logs, 'bearer'),
  ])
  const swapped = await get('logging', path, 'accessKey', record && !isRecord(record) && !isRedirect(record))
  const recordByBearer = await get('management', path, 'bearer', isRefused(pageByBearer) && !isRefused(page))
  const probes = { record, page, pageByBearer, swapped, recordByBearer }
  const mismatch = table.find(([isExpected]) => !isExpected(probes))
  return mismatch ? [mismatch[1](probes, prober)] : []
}

function isRecord(response: PreflightResponse | undefined): boolean {
  return response?.status === 200 && hasId(response)
}

function isLogPage(response: PreflightResponse | undefined): boolean {
  const { data, error } = toRecord(response?.json)
  return data !== undefined || error !== undefined
}

/** Whether no server of the platform gives such a response. Errors, limits and refusals may come from a gateway. */
function isForeign(response: PreflightResponse | undefined): boolean {
  if (!response || isRefused(response) || response.status >= 500 || response.status === 429) return false
  return response.status !== 200 || response.json === undefined
}

function foreignProblem({ urls }: Prober, name: Interface, response: PreflightResponse | undefined): string {
  return `The ${name} URL ${urls[name].href} does not lead to the ${name} interface: a read was answered ${response?.status}.`
}

function isRefused(response: PreflightResponse | undefined): boolean {
  return response?.status === 401 || response?.status === 403
}

function hasId(response: PreflightResponse | undefined): boolean {
  return typeof toRecord(response?.json)['Id'] === 'number'
}

const reads = { 'pull zone': 'get-pull-zone', 'video library': 'get-video-library' }

/** What a fixture names, and a value of its record that contradicts it (supplement). A missing field proves nothing. */
type Resource = readonly [what: keyof typeof reads, field?: string, value?: boolean, problem?: string]
type Name = Extract<keyof Fixtures, `${string}Id`>

const resources: Readonly<Record<Name, Resource>> = {
  zoneId: ['pull zone'],
  loggedZoneId: ['pull zone', 'EnableLogging', false, 'does not log'],
  otherLoggedZoneId: ['pull zone', 'EnableLogging', false, 'does not log'],
  unloggedZoneId: ['pull zone', 'EnableLogging', true, 'logs'],
  suspendedZoneId: ['pull zone', 'Suspended', false, 'is not suspended'],
  disabledZoneId: ['pull zone', 'Enabled', true, 'is not disabled'],
  absentZoneId: ['pull zone'],
  libraryId: ['video library'],
  distantLibraryId: ['video library'],
  absentLibraryId: ['video library'],
}
const names = Object.keys(resources) as Name[] // the keys of the table are exact

/** Finds equal ids of fixtures that must differ, because a check compares two resources or needs an absent one. */
function equalIds(fixtures: Fixtures): string[] {
  const given = names.filter((name) => fixtures[name] !== undefined)
  const same = Map.groupBy(given, (name) => `${resources[name][0]} ${BigInt(defined(fixtures[name]))}`)
  return [...same].flatMap(([key, equal]) =>
    equal.length > 1
      ? [`The fixtures ${equal.join(' and ')} are both ${key.split(' ').at(-1)}: they must differ.`]
      : [],
  )
}

/**
 * Verifies the fixtures of a live run, with one read per fixture: resources exist in the claimed state, and absent ones
 * do not exist. A response that shows neither is not a problem.
 *
 * @throws SetupError with one sentence per problem
 */
export async function checkFixtures(prober: Prober): Promise<void> {
  const { watermarkFile, distantLibraryId } = prober.fixtures
  const problems: string[] = []
  if (watermarkFile !== undefined)
    await access(watermarkFile).catch(() => problems.push(`The watermarkFile ${watermarkFile} cannot be read.`))
  if (distantLibraryId !== undefined && BigInt(distantLibraryId) < 2n ** 32n)
    problems.push(
      `The fixture distantLibraryId ${distantLibraryId} fits into 32 bits: it must be ${2n ** 32n} or more.`,
    )
  orThrow([...problems, ...(await Promise.all(names.map((name) => problemsOf(prober, name)))).flat()])
}

/** Reads the resource of a fixture. If the fixture or the access key is missing, reads nothing. */
async function problemsOf(prober: Prober, name: Name): Promise<string[]> {
  const { [name]: id, credentials } = prober.fixtures
  if (id === undefined || credentials.accessKey === undefined) return []
  const [what, field, value, problem] = resources[name]
  const { status, json } = await prober.get('management', resourcePath(reads[what], id), 'accessKey')
  const isAbsent = name.startsWith('absent')
  if (status === 404 && !isAbsent) return [`The fixture ${name} ${id} does not exist: no such ${what}.`]
  if (status !== 200) return []
  if (isAbsent) return [`The fixture ${name} ${id} exists: it must be an unused id of a ${what}.`]
  const record = toRecord(json)
  return field !== undefined && record[field] === value
    ? [`The fixture ${name} ${id} ${problem} (${field}: ${value}).`]
    : []
}
