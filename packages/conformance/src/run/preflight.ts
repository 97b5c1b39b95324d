/** The preflight of a live run: harmless requests that verify its URLs, credentials and fixtures, and measure the target's clock. */

import { access } from 'node:fs/promises'
import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import { createServerClock } from '@cdn/kit/server-clock'
import { dayMs } from '@cdn/kit/time'
import type { Fixtures, RunCredentials } from '../exchange/check.ts'
import { errorReason, SetupError, SuiteConfigurationError } from '../exchange/failure.ts'
import { receive } from '../exchange/receive.ts'
import { urlBelow } from '../exchange/requested-operation.ts'
import { idParameterOf, operationOf } from '../exchange/resources.ts'
import { parseOrUndefined } from '../exchange/response.ts'
import type { LiveClock } from './targets/target.ts'

type Interface = 'management' | 'logging'
type Credential = 'accessKey' | 'bearer'

/** The target of a live run, and what the preflight needs to read it. */
export interface Setup {
  readonly urls: Readonly<Record<Interface, URL>>
  readonly fixtures: Fixtures
  readonly clock: LiveClock
  readonly send: typeof fetch
  /** Whether the run may write, so that it needs the file of the watermark. */
  readonly writes?: boolean | undefined
  /** Ends the requests and pauses. */
  readonly signal: AbortSignal
}

type Prober = ReturnType<typeof createProber>
/** A response, or undefined if no request was sent. `json` is undefined if the body is not JSON. */
type Shown = Awaited<ReturnType<Prober['get']>> | undefined

/** Maximum time for a response, in ms. After this time, the target counts as silent. */
const patienceMs = 10_000
/** Pauses before further attempts, in ms. An unexpected response counts only if the last attempt gets it. */
const pausesMs = [100, 200, 400]
/** Pauses before further rounds of reads, in ms, if a gateway answers all of them. */
const gatewayPausesMs = [1_000, 2_000, 4_000]
/** Maximum length of a body that is read, in characters. It is enough to recognise the server. */
const maxBody = 1_000_000

/**
 * Verifies the set-up of a live run. Both interfaces must be reachable, each at its own URL and without a redirect of its reads, and the
 * API key and the bearer token must be valid. If only one interface refuses a credential, the set-up is not wrong: the checks report the
 * refusal. The resources of the fixtures must exist in the claimed state, and absent ones must not exist. A response that shows neither is
 * not a problem.
 *
 * @returns notices for the user, such as a token that expires soon, how far the target's clock is ahead in ms, and the number of requests
 * @throws SetupError with one sentence per problem
 */
export async function preflight(setup: Setup) {
  const { fixtures, clock } = setup
  const prober = createProber(setup)
  orThrow((await Promise.all([reach(prober, 'management'), reach(prober, 'logging')])).flat())
  const tokens = tokenProblems(fixtures.credentials, clock.now() + prober.clockOffsetMs())
  orThrow([...equalIds(fixtures), ...tokens.problems])
  const problem = await targetProblem(prober)
  orThrow(problem === undefined ? [] : [problem])
  orThrow(await fixtureProblems(prober, setup.writes === true))
  const clockOffsetMs = prober.clockOffsetMs()
  const offset = Math.round(clockOffsetMs / 1_000)
  const difference = `The local clock is ${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'} the target's; the run corrects for it.`
  return {
    notices: [...tokens.notices, ...(offset === 0 ? [] : [difference])],
    clockOffsetMs,
    requests: prober.requests(),
  }
}

function orThrow(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError(problems)
}

function createProber({ urls, fixtures, clock: { now, sleep }, send, signal }: Setup) {
  const serverClock = createServerClock(now)
  const watched = serverClock.watch(send)
  let requests = 0
  const once = async (url: URL, headers: Readonly<Record<string, string>>) => {
    requests++
    const silence = AbortSignal.timeout(patienceMs)
    try {
      const response = await watched(url, { headers, redirect: 'manual', signal: AbortSignal.any([signal, silence]) })
      const { status, text } = await receive(response, maxBody)
      return { status, location: response.headers.get('location'), json: parseOrUndefined(text) }
    } catch (error) {
      if (signal.aborted) throw error
      throw new SuiteConfigurationError(silence.aborted ? `no response within ${patienceMs / 1_000} s` : explain(error))
    }
  }
  return {
    ...{ urls, fixtures },
    pause: (ms: number) => sleep(ms, signal),
    requests: () => requests,
    /** How far the target's clock is ahead, according to its `Date` headers. 0 if the difference is within their precision. */
    clockOffsetMs: serverClock.offset,
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
        await sleep(pauseMs, signal)
      }
      return once(url, headers)
    },
  }
}

function isOdd({ status, json }: { readonly status: number; readonly json: unknown }): boolean {
  return status >= 500 || (status >= 300 && status < 400) || (status === 200 && json === undefined)
}

/** Says why a request failed. Node's `fetch` speaks HTTP/1.1, and its error is not clear if the server speaks only HTTP/2. */
function explain(error: unknown): string {
  const reason = errorReason(error)
  return /no application protocol/i.test(reason) ? 'it answers HTTP/2 only, and HTTP/1.1 is needed' : reason
}

function headerOf(credential: Credential, value = ''): Record<string, string> {
  const kind = credential === 'bearer' ? 'bearer' : 'key'
  const { header } = assertDefined(contracts.management.schemes.find((scheme) => scheme.kind === kind))
  return { [header]: kind === 'bearer' ? `Bearer ${value}` : value }
}

async function reach(prober: Prober, name: Interface): Promise<string[]> {
  try {
    // The spec states nothing about the base URL itself: it may lead to the documentation.
    await prober.get(name)
    return []
  } catch (error) {
    if (!(error instanceof SuiteConfigurationError)) throw error
    return [`The ${name} interface cannot be reached at ${prober.urls[name].href}: ${error.message}.`]
  }
}

function isRedirect(response: Shown): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400 && response.location !== null
}

function redirectProblem({ urls }: Prober, name: Interface, response: Shown): string {
  const to = URL.parse(response?.location ?? '', urls[name])?.origin ?? 'another address'
  return `The ${name} URL ${urls[name].href} redirects to ${to}, and credentials are never sent to the target of a redirect: use that address instead.`
}

/** If the remaining lifetime of a token is shorter than this, in ms, the user is notified. */
const soonMs = 7 * dayMs

/** Compares the expiry of bearer tokens (JWT, §5) with the time of the target. Ignores a token with unreadable claims. */
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
  const { exp } = toRecord(parseOrUndefined(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  return typeof exp === 'number' && Math.abs(exp) < 1e11 ? exp * 1_000 : undefined
}

/** Responses to harmless reads of existing resources; undefined without the fixture or the credential. */
interface Reads {
  /** A record of the management interface, read with the API key. */
  readonly record: Shown
  /** A page of logs, read with the API key and with the bearer token. */
  readonly page: Shown
  readonly pageByBearer: Shown
  /** Reads the path of the record again, on either interface. */
  again(name: Interface, credential: Credential): Promise<Shown>
}

/** Returns the first problem that harmless reads show, because it may cause the later ones. */
async function targetProblem(prober: Prober): Promise<string | undefined> {
  const { zoneId, loggedZoneId, libraryId, credentials } = prober.fixtures
  const zone = zoneId ?? loggedZoneId
  const path = zone ? pathOf('pull zone', zone) : libraryId && pathOf('video library', libraryId)
  const logs = loggedZoneId && `${pathTo('query-logs', loggedZoneId)}?limit=1`
  const get = async (name: Interface, at: string | undefined, credential: Credential): Promise<Shown> =>
    at !== undefined && credentials[credential] !== undefined ? prober.get(name, at, credential) : undefined
  const readAll = () =>
    Promise.all([
      get('management', path, 'accessKey'),
      get('logging', logs, 'accessKey'),
      get('logging', logs, 'bearer'),
    ])
  let shown = await readAll()
  for (const pauseMs of gatewayPausesMs) {
    if (!areOfGateway(shown)) break
    await prober.pause(pauseMs)
    shown = await readAll()
  }
  if (areOfGateway(shown)) return gatewayProblem(shown)
  const [record, page, pageByBearer] = shown
  const reads: Reads = { record, page, pageByBearer, again: (name, credential) => get(name, path, credential) }
  return (await addressProblem(prober, reads)) ?? (await credentialProblem(reads)) ?? logsProblem(reads, loggedZoneId)
}

/** Whether every read was answered by a gateway in front of the platform: by 502 or more, or by a 5xx without JSON. */
function areOfGateway(shown: readonly Shown[]): boolean {
  const responses = shown.filter((one) => one !== undefined)
  return (
    responses.length > 0 &&
    responses.every(({ status, json }) => status >= 502 || (status >= 500 && json === undefined))
  )
}

function gatewayProblem([record, page]: readonly Shown[]): string {
  const whose = record && page ? 'Both interfaces answer' : `The ${record ? 'management' : 'logging'} interface answers`
  return `${whose} ${(record ?? page)?.status}, from a gateway in front of the platform: check the platform's status, and run again.`
}

async function addressProblem(prober: Prober, { record, page, again }: Reads): Promise<string | undefined> {
  if (isRedirect(record)) return redirectProblem(prober, 'management', record)
  if (isRedirect(page)) return redirectProblem(prober, 'logging', page)
  if (record && !isRecord(record) && isRecord(await again('logging', 'accessKey')))
    return 'The two URLs are swapped: the logging URL answers as the management interface.'
  if (record?.status !== 404 && !hasId(record) && isForeign(record)) return foreignProblem(prober, 'management', record)
  return !isLogPage(page) && isForeign(page) ? foreignProblem(prober, 'logging', page) : undefined
}

async function credentialProblem({ record, page, pageByBearer, again }: Reads): Promise<string | undefined> {
  const ofKey = [record && `management ${record.status}`, page && `logging ${page.status}`].filter(Boolean)
  if (ofKey.length > 0 && [record, page].every((each) => !each || isRefused(each)))
    return `The API key (credentials.accessKey) is refused: ${ofKey.join(', ')}.`
  if (!isRefused(pageByBearer) || isRefused(page)) return undefined
  // A token that either interface accepts is valid.
  const isAccepted = (await again('management', 'bearer'))?.status === 200
  return isAccepted ? undefined : `The bearer token (credentials.bearer) is refused: logging ${pageByBearer?.status}.`
}

function logsProblem({ record, page, pageByBearer }: Reads, zone: string | undefined): string | undefined {
  if (isRefused(page) && isRefused(pageByBearer ?? page) && record?.status === 200)
    return `The API key is valid, but the logs of loggedZoneId ${zone} are refused (${page?.status}).`
  return page?.status === 404
    ? `The logging interface answers 404 for loggedZoneId ${zone}: enable its logging.`
    : undefined
}

function isRecord(response: Shown): boolean {
  return response?.status === 200 && hasId(response)
}

function isLogPage(response: Shown): boolean {
  const { data, error } = toRecord(response?.json)
  return data !== undefined || error !== undefined
}

/** Whether a response proves that the server is not the platform. Server errors, 429, 401 and 403 do not: a gateway may send them. */
function isForeign(response: Shown): boolean {
  if (!response || isRefused(response) || response.status >= 500 || response.status === 429) return false
  return response.status !== 200 || response.json === undefined
}

function foreignProblem({ urls }: Prober, name: Interface, response: Shown): string {
  return `The ${name} URL ${urls[name].href} does not lead to the ${name} interface: a read was answered ${response?.status}.`
}

function isRefused(response: Shown): boolean {
  return response?.status === 401 || response?.status === 403
}

function hasId(response: Shown): boolean {
  return typeof toRecord(response?.json)['Id'] === 'number'
}

const reads = { 'pull zone': 'get-pull-zone', 'video library': 'get-video-library' } as const

function pathOf(what: keyof typeof reads, id: string): string {
  return pathTo(reads[what], id)
}

function pathTo(name: string, id: string): string {
  const operation = operationOf(name)
  return operation.path.replace(`{${idParameterOf(operation)}}`, id)
}

/** By fixture: the value of a field that contradicts the name of the fixture (supplement). A missing field proves nothing. */
const contradictions: Readonly<Record<string, readonly [field: string, value: boolean, problem: string]>> = {
  loggedZoneId: ['EnableLogging', false, 'does not log'],
  otherLoggedZoneId: ['EnableLogging', false, 'does not log'],
  unloggedZoneId: ['EnableLogging', true, 'logs'],
  suspendedZoneId: ['Suspended', false, 'is not suspended'],
  disabledZoneId: ['Enabled', true, 'is not disabled'],
}

function idsIn(fixtures: Fixtures) {
  return Object.entries(fixtures).flatMap(([name, id]) => {
    const what: keyof typeof reads = /library/i.test(name) ? 'video library' : 'pull zone'
    return name.endsWith('Id') && typeof id === 'string' ? [{ name, id, what }] : []
  })
}

/** Finds equal ids of fixtures that must differ, because a check compares two resources or needs an absent one. */
function equalIds(fixtures: Fixtures): string[] {
  return [...Map.groupBy(idsIn(fixtures), ({ what, id }) => `${what} ${BigInt(id)}`).values()].flatMap((equal) =>
    equal.length > 1
      ? [`The fixtures ${equal.map(({ name }) => name).join(' and ')} are both ${equal[0]?.id}: they must differ.`]
      : [],
  )
}

async function fixtureProblems(prober: Prober, writes: boolean): Promise<string[]> {
  const { watermarkFile, distantLibraryId, credentials } = prober.fixtures
  const problems: string[] = []
  if (watermarkFile !== undefined && writes)
    await access(watermarkFile).catch(() => problems.push(`The watermarkFile ${watermarkFile} cannot be read.`))
  if (distantLibraryId !== undefined && BigInt(distantLibraryId) < 2n ** 32n)
    problems.push(
      `The fixture distantLibraryId ${distantLibraryId} fits into 32 bits: it must be ${2n ** 32n} or more.`,
    )
  if (credentials.accessKey === undefined) return problems
  const read = async ({ name, id, what }: ReturnType<typeof idsIn>[number]): Promise<string[]> => {
    const { status, json } = await prober.get('management', pathOf(what, id), 'accessKey')
    const isAbsent = name.startsWith('absent')
    if (status === 404 && !isAbsent) return [`The fixture ${name} ${id} does not exist: no such ${what}.`]
    // A server may read an id as another one. The checks report an item whose id is not that of the path.
    if (status !== 200 || String(toRecord(json)['Id'] ?? id) !== id) return []
    if (isAbsent) return [`The fixture ${name} ${id} exists: it must be an unused id of a ${what}.`]
    const [field = '', value, problem] = contradictions[name] ?? []
    return problem !== undefined && toRecord(json)[field] === value
      ? [`The fixture ${name} ${id} ${problem} (${field}: ${value}).`]
      : []
  }
  return [...problems, ...(await Promise.all(idsIn(prober.fixtures).map(read))).flat()]
}
