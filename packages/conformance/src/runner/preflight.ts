import { contracts, type InterfaceName } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { operationOf, pathTo } from '../checks/resources.ts'
import type { Fixtures } from '../core/check.ts'
import { SetupError, SuiteConfigurationError } from '../core/failure.ts'
import { urlBelow } from '../core/requested-operation.ts'
import type { PreflightResponse, Prober } from './exchange.ts'
import { tokenProblems } from './token.ts'

/** The set-up of a live run, for the preflight. */
export interface Setup {
  readonly urls: Readonly<Record<'management' | 'logging', URL>>
  readonly fixtures: Fixtures
  readonly prober: Prober
  /** Milliseconds since 1970, by the local clock. */
  readonly now: () => number
}

/**
 * Verifies the URLs and credentials of a live run with harmless requests. Both interfaces must be reachable without a
 * redirect, each at its own URL, and the API key and the bearer token must be valid. If only one interface refuses a
 * credential, the set-up is not wrong: the checks report the refusal.
 *
 * @returns notices for the user, such as a token that expires soon
 * @throws SetupError with one sentence per problem
 */
export async function checkTarget(setup: Setup): Promise<string[]> {
  const { urls, prober } = setup
  const reached = await Promise.all(Object.entries(urls).map(([name, url]) => reach(prober, name, url)))
  orThrow(reached.flat())
  const tokens = tokenProblems(setup.fixtures.credentials, setup.now() + prober.clockOffsetMs())
  orThrow([...equalIds(setup.fixtures), ...tokens.problems])
  orThrow(await interfaceAndCredentialProblems(setup))
  const offset = Math.round(prober.clockOffsetMs() / 1_000)
  const clock = `The local clock is ${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'} the target's; the run corrects for it.`
  return [...tokens.notices, ...(offset === 0 ? [] : [clock])]
}

/** @throws SetupError if there is a problem */
export function orThrow(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError(problems)
}

async function reach(prober: Prober, name: string, url: URL): Promise<string[]> {
  try {
    return redirectProblem(name, url, await prober.get(url))
  } catch (error) {
    if (!(error instanceof SuiteConfigurationError)) throw error
    return [`The ${name} interface cannot be reached at ${url.href}: ${error.message}.`]
  }
}

function redirectProblem(name: string, url: URL, { status, location }: PreflightResponse): string[] {
  if (status < 300 || status >= 400 || location === undefined) return []
  const to = URL.parse(location, url)
  return [
    `The ${name} URL ${url.href} redirects to ${to?.origin ?? 'another address'}, and credentials are never sent to the target of a redirect: use that address instead.`,
  ]
}

/** Finds equal ids of fixtures that must differ, because a check compares two resources or needs an absent one. */
function equalIds(fixtures: Fixtures): string[] {
  const groups = [
    [
      'zoneId',
      'loggedZoneId',
      'otherLoggedZoneId',
      'unloggedZoneId',
      'suspendedZoneId',
      'disabledZoneId',
      'absentZoneId',
    ],
    ['libraryId', 'distantLibraryId', 'absentLibraryId'],
  ] as const
  return groups.flatMap((group) => {
    const byId = Map.groupBy(
      group.filter((name) => fixtures[name] !== undefined),
      (name) => BigInt(defined(fixtures[name])),
    )
    return [...byId]
      .filter(([, names]) => names.length > 1)
      .map(([id, names]) => `The fixtures ${names.join(' and ')} are both ${id}: they must differ.`)
  })
}

async function interfaceAndCredentialProblems({ urls, fixtures, prober }: Setup): Promise<string[]> {
  const { accessKey, bearer } = fixtures.credentials
  const withKey = accessKey === undefined ? undefined : { [headerOf('key')]: accessKey }
  const withBearer = bearer === undefined ? undefined : { [headerOf('bearer')]: `Bearer ${bearer}` }
  const read = managementRead(fixtures)
  const logs = logsRead(fixtures)
  const get = (base: URL, path: string | undefined, headers: Record<string, string> | undefined) =>
    path === undefined || !headers ? undefined : prober.get(urlBelow(base, path), headers)
  const [record, page, pageByBearer] = await Promise.all([
    get(urls.management, read, withKey),
    get(urls.logging, logs, withKey),
    get(urls.logging, logs, withBearer),
  ])
  const redirects = [
    ...(record ? redirectProblem('management', urls.management, record) : []),
    ...(page ? redirectProblem('logging', urls.logging, page) : []),
  ]
  if (redirects.length > 0) return redirects
  if (record && !isRecord(record) && isRecord(await get(urls.logging, read, withKey)))
    return ['The two URLs are swapped: the logging URL answers as the management interface.']
  return [
    ...(record ? strangeInterface('management', urls.management, record) : []),
    ...(page ? strangeInterface('logging', urls.logging, page) : []),
    ...keyProblems(record, page),
    ...(await bearerProblems(pageByBearer, page, () => get(urls.management, read, withBearer))),
    ...(isRefused(page) && isRefused(pageByBearer ?? page) && record?.status === 200
      ? [`The API key is valid, but the logs of loggedZoneId ${fixtures.loggedZoneId} are refused (${page?.status}).`]
      : []),
    ...(page?.status === 404
      ? [`The logging interface answers 404 for loggedZoneId ${fixtures.loggedZoneId}: enable its logging.`]
      : []),
  ]
}

/** Returns a problem if an answer does not look like an answer of the interface. */
function strangeInterface(name: InterfaceName, url: URL, { status, json }: PreflightResponse): string[] {
  if (status >= 500 || status === 429 || isRefused({ status })) return []
  const isPage = name === 'logging' && typeof json === 'object' && json !== null && ('data' in json || 'error' in json)
  const isOurs = name === 'logging' ? isPage : status === 404 || typeof toRecord(json)['Id'] === 'number'
  if (isOurs || (status === 200 && json !== undefined)) return []
  return [`The ${name} URL ${url.href} does not lead to the ${name} interface: a read was answered ${status}.`]
}

function keyProblems(record: PreflightResponse | undefined, page: PreflightResponse | undefined): string[] {
  const seen = [record, page].filter((answer) => answer !== undefined)
  if (seen.length === 0 || !seen.every(isRefused)) return []
  const statuses = [record && `management ${record.status}`, page && `logging ${page.status}`].filter(Boolean)
  return [`The API key (credentials.accessKey) is refused: ${statuses.join(', ')}.`]
}

/** Returns a problem if the bearer token is invalid. A token that either interface accepts is valid. */
async function bearerProblems(
  page: PreflightResponse | undefined,
  pageByKey: PreflightResponse | undefined,
  askManagement: () => Promise<PreflightResponse> | undefined,
): Promise<string[]> {
  if (!isRefused(page) || isRefused(pageByKey)) return []
  const other = await askManagement()
  return other?.status === 200 ? [] : [`The bearer token (credentials.bearer) is refused: logging ${page?.status}.`]
}

function isRefused(answer: Pick<PreflightResponse, 'status'> | undefined): boolean {
  return answer?.status === 401 || answer?.status === 403
}

function isRecord(answer: PreflightResponse | undefined): boolean {
  return answer?.status === 200 && typeof toRecord(answer.json)['Id'] === 'number'
}

/** Returns the header of the management interface that carries a credential. */
export function headerOf(kind: 'key' | 'bearer'): string {
  return defined(contracts.management.schemes.find((scheme) => scheme.kind === kind)).header
}

/** Returns the path of an operation for the resource with an id. */
export function resourcePath(name: string, id: string): string {
  const operation = operationOf(name)
  return Object.entries(pathTo(operation, id)).reduce(
    (path, [parameter, value]) => path.replace(`{${parameter}}`, value),
    operation.path,
  )
}

/** Returns the path of a harmless read of the management interface (supplement), for an existing resource. */
function managementRead({ zoneId, loggedZoneId, libraryId }: Fixtures): string | undefined {
  const zone = zoneId ?? loggedZoneId
  if (zone !== undefined) return resourcePath('get-pull-zone', zone)
  return libraryId === undefined ? undefined : resourcePath('get-video-library', libraryId)
}

function logsRead({ loggedZoneId }: Fixtures): string | undefined {
  return loggedZoneId === undefined ? undefined : `${resourcePath('query-logs', loggedZoneId)}?limit=1`
}
