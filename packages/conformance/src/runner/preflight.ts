import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import type { RunCredentials } from '../core/check.ts'
import { SetupError, SuiteConfigurationError } from '../core/failure.ts'
import { parseOrUndefined } from '../core/read-json.ts'
import { equalIds } from './fixtures.ts'
import { type PreflightResponse, type Prober, resourcePath } from './prober.ts'

type Name = keyof Prober['urls']

/**
 * Verifies the URLs and credentials of a live run with harmless requests. Both interfaces must be reachable without a
 * redirect, each at its own URL, and the API key and the bearer token must be valid. If only one interface refuses a
 * credential, the set-up is not wrong: the checks report the refusal.
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

/** @throws SetupError if there is a problem */
export function orThrow(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError(problems)
}

async function reach(prober: Prober, name: Name): Promise<string[]> {
  try {
    return redirectProblem(prober, name, await prober.get(name))
  } catch (error) {
    if (!(error instanceof SuiteConfigurationError)) throw error
    return [`The ${name} interface cannot be reached at ${prober.urls[name].href}: ${error.message}.`]
  }
}

function redirectProblem({ urls }: Prober, name: Name, response: PreflightResponse | undefined): string[] {
  if (!response || response.status < 300 || response.status >= 400 || response.location === null) return []
  const to = URL.parse(response.location, urls[name])?.origin ?? 'another address'
  return [
    `The ${name} URL ${urls[name].href} redirects to ${to}, and credentials are never sent to the target of a redirect: use that address instead.`,
  ]
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

async function interfaceAndCredentialProblems(prober: Prober): Promise<string[]> {
  const { zoneId, loggedZoneId, libraryId, credentials } = prober.fixtures
  const zone = zoneId ?? loggedZoneId
  // Harmless reads of existing resources; that of the management interface is of the supplement.
  const library = libraryId && resourcePath('get-video-library', libraryId)
  const path = zone === undefined ? library : resourcePath('get-pull-zone', zone)
  const logs = loggedZoneId && `${resourcePath('query-logs', loggedZoneId)}?limit=1`
  const get = async (name: Name, path: string | undefined, kind: 'accessKey' | 'bearer') =>
    path !== undefined && credentials[kind] !== undefined ? prober.get(name, path, kind) : undefined
  const [record, page, pageByBearer] = await Promise.all([
    get('management', path, 'accessKey'),
    get('logging', logs, 'accessKey'),
    get('logging', logs, 'bearer'),
  ])
  const redirects = [...redirectProblem(prober, 'management', record), ...redirectProblem(prober, 'logging', page)]
  if (redirects.length > 0) return redirects
  if (record && !isRecord(record) && isRecord(await get('logging', path, 'accessKey')))
    return ['The two URLs are swapped: the logging URL answers as the management interface.']
  const problems = [
    ...strange(
      prober,
      'management',
      record,
      ({ status, json }) => status === 404 || typeof toRecord(json)['Id'] === 'number',
    ),
    ...strange(prober, 'logging', page, ({ json }) => 'data' in toRecord(json) || 'error' in toRecord(json)),
  ]
  if ((record || page) && [record, page].every((response) => !response || isRefused(response))) {
    const statuses = [record && `management ${record.status}`, page && `logging ${page.status}`].filter(Boolean)
    problems.push(`The API key (credentials.accessKey) is refused: ${statuses.join(', ')}.`)
  }
  // A token that either interface accepts is valid.
  if (isRefused(pageByBearer) && !isRefused(page) && (await get('management', path, 'bearer'))?.status !== 200)
    problems.push(`The bearer token (credentials.bearer) is refused: logging ${pageByBearer?.status}.`)
  if (isRefused(page) && isRefused(pageByBearer ?? page) && record?.status === 200)
    problems.push(`The API key is valid, but the logs of loggedZoneId ${loggedZoneId} are refused (${page?.status}).`)
  if (page?.status === 404)
    problems.push(`The logging interface answers 404 for loggedZoneId ${loggedZoneId}: enable its logging.`)
  return problems
}

/** Returns a problem if a response does not look like a response of the interface. */
function strange(
  { urls }: Prober,
  name: Name,
  response: PreflightResponse | undefined,
  isOurs: (response: PreflightResponse) => boolean,
): string[] {
  if (!response || response.status >= 500 || response.status === 429 || isRefused(response)) return []
  if ((response.status === 200 && response.json !== undefined) || isOurs(response)) return []
  return [
    `The ${name} URL ${urls[name].href} does not lead to the ${name} interface: a read was answered ${response.status}.`,
  ]
}

function isRefused(response: PreflightResponse | undefined): boolean {
  return response?.status === 401 || response?.status === 403
}

function isRecord(response: PreflightResponse | undefined): boolean {
  return response?.status === 200 && typeof toRecord(response.json)['Id'] === 'number'
}
