/** The plain cases of an operation: requests whose exchanges the rules judge. The contract decides which cases apply. */
import { contracts, type Operation } from '@cdn/api/contract'
import { dayMs, hourMs } from '@cdn/kit/time'
import { call, credentialOf, type RequestParts, validCredential } from '../exchange/call.ts'
import type { Check, CheckContext } from '../exchange/check.ts'
import type { Answered, NoEffectReason } from '../exchange/exchange.ts'
import { requireOrSkip } from '../exchange/failure.ts'
import { impossibleDays, misreadIds, noSuchText } from '../exchange/hostile-input.ts'
import { invalidCredential, wrongKey } from '../exchange/invalid-credentials.ts'
import { contractLists, needsOf, requirementOf } from '../exchange/requirements.ts'
import { dayOf, dayParameterOf, dayPath, fixturesOfOperation, idPath } from '../exchange/resources.ts'
import { isSuccess } from '../exchange/response.ts'
import { logFilters } from '../rules/predictions.ts'
import { exceedLimit, shortResponse } from './bursts.ts'
import type { InputCase } from './input/input-cases.ts'
import { invalidText } from './input/schema-cases.ts'
import { inputsOf, judgeCases } from './input/send-cases.ts'
import { knownRowsOf, sendQueryCases } from './logs/log-queries.ts'
import { parameterValues, sentParameters } from './logs/query-cases.ts'
import { referenceOf } from './logs/reference.ts'
import { rangeQuery, shownDay } from './logs/rows.ts'
import { isSweepable } from './state/declared-state.ts'
import { sendAndRead, sendOpposites } from './state/read-resources.ts'
import { basisOfPreparation, requestWithItems, validCall, validRequest } from './success-status.ts'

/** A named case: one or more requests of an operation. */
export interface PlainCase extends Partial<Pick<Check, 'needs' | 'uses' | 'basis' | 'burst' | 'wrongKey' | 'part'>> {
  send(context: CheckContext): Promise<readonly Answered[]>
}

const logged = ['loggedZoneId', 'credentials.accessKey'] as const

export function plainCases(operation: Operation): Readonly<Record<string, PlainCase>> {
  const isLogging = operation.interface === 'logging'
  return {
    valid: { ...basisOfPreparation(operation), send: async (context) => [await validCall(context, operation)] },
    'no-credential': {
      ...(isLogging && { needs: ['loggedZoneId'] }),
      send: (context) => refusalsWithout(context, operation),
    },
    'each-id': {
      uses: fixturesOfOperation(operation)?.others ?? [],
      send: async (context) =>
        operation.effect === 'read'
          ? onEachId(context, operation, { credential: validCredential(context, operation) })
          : [],
    },
    ...ofInvalidCredentials(operation),
    refusals: { part: 'the operations of the spec', send: (context) => refusals(context, operation) },
    ...(isLogging && {
      'invalid-query': { basis: 'supplement', needs: logged, send: (context) => invalidQueries(context, operation) },
      limited: { burst: true, needs: logged, send: (context) => limited(context, operation) },
      '403-suspended': ofClosedZone(operation, 'suspendedZoneId'),
      '403-disabled': ofClosedZone(operation, 'disabledZoneId'),
      404: ofClosedZone(operation, 'unloggedZoneId'),
      ...ofLogs(operation),
    }),
  }
}

/**
 * Returns the responses to requests without credentials, for the ids that `onEachId` uses. A server checks credentials before the
 * existence and state of a resource (§5).
 */
function refusalsWithout(context: CheckContext, operation: Operation): Promise<readonly Answered[]> {
  const noEffect = noEffectWithoutCredential(operation)
  return context.once(`without credentials ${operation.name}`, () =>
    onEachId(context, operation, { credential: undefined, noEffect }),
  )
}

/** Returns the reason why a request without credentials must have no effect. */
export function noEffectWithoutCredential(operation: Operation): NoEffectReason {
  const missing = requirementOf(operation, {
    decides: ['<operation>.401-missing', '<interface>.authentication.missing'],
  })
  const { breaks } = noEffectOf(operation, '')
  return { name: 'without a credential', breaks: [missing.id, ...breaks.slice(0, 1)] }
}

/**
 * Sends a request with a credential for each id of the fixtures; if `isOne`, only for the first id. Reads without a rate limit are sent at
 * once. A write goes only to the first and the absent id, because the suite must not change other items.
 */
export async function onEachId(
  context: CheckContext,
  operation: Operation,
  sent: Pick<RequestParts, 'credential' | 'headers' | 'noEffect'>,
  isOne = false,
): Promise<Answered[]> {
  const { request: valid } = await requestWithItems(context, operation, answeredRequest)
  const request = { ...valid, ...sent }
  const { own = [], absent, others: unchanged = [] } = fixturesOfOperation(operation) ?? {}
  const names =
    absent && !isOne ? [absent, ...(operation.effect === 'read' ? [...own.slice(1), ...unchanged] : [])] : []
  const others = names.flatMap((name) => context.fixtures[name] ?? []).map((id) => idPath(operation, id))
  const toOther = (path: RequestParts['path'] = {}) => call(context, operation, { ...request, path })
  // Reads at once show a server that mixes up their responses.
  if (operation.effect === 'read' && !operation.rateLimit)
    return Promise.all([call(context, operation, request), ...others.map(toOther)])
  const write = isSweepable(operation) ? operation : undefined
  if (write) await sendOpposites(context, write, [valid]).catch(() => undefined)
  const answers = [await (write ? sendAndRead(context, write, request) : call(context, operation, request))]
  for (const path of others) answers.push(await toOther(path))
  return answers
}

/** Returns the reason why a request whose credential is missing or invalid must have no effect (§5). */
function noEffectOf(operation: Operation, name: string): NoEffectReason {
  const decides = ['<operation>.401', '<operation>.access-key', '<interface>.authentication.default'] as const
  const stated = requirementOf(operation, { decides }).id
  // The status of each operation is a requirement of its own, even if the contract lists one for all operations.
  const ofStatus = operation.responses.some(({ status }) => status === '401')
    ? [requirementOf(operation, { decides: '<operation>.401' }).id]
    : []
  return { name, breaks: [...new Set([stated, ...ofStatus])] }
}

/**
 * Returns a valid request of a read; an empty one for a write. A request to the logs is first sent with the API key, so that a cache may
 * hold its response.
 */
async function answeredRequest(context: CheckContext, operation: Operation): Promise<RequestParts> {
  if (operation.effect !== 'read') return {}
  const request = await validRequest(context, operation)
  if (operation.interface !== 'logging') return request
  return context.once(`answered request ${operation.name}`, async () => {
    const now = context.now().getTime()
    const fixed = operation.name === 'query-logs' ? rangeQuery(now - 2 * hourMs, now - hourMs) : {}
    const answered = { ...request, query: { ...request.query, ...fixed } }
    if (context.fixtures.credentials.accessKey !== undefined) await call(context, operation, answered)
    return answered
  })
}

function ofInvalidCredentials(operation: Operation): Record<string, PlainCase> {
  // If the contract states the status of invalid credentials, each scheme is a part of the requirement.
  const isStated = operation.interface === 'logging' || contractLists(operation, '401')
  const schemes = contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
  const keyScheme = schemes.find(({ kind }) => kind === 'key')
  const cases = Object.entries(invalidCredential).map(([name, { kind, from, make, withKey }]) => {
    const scheme = schemes.find((each) => each.kind === kind)?.name
    if (scheme === undefined || (withKey && !keyScheme)) return undefined
    const hasKey = kind === 'key' || withKey === true
    const valuesOf = (context: CheckContext) => {
      // On a live target, a case has only one wrong key, but all of its wrong tokens.
      if (kind === 'key' && !context.virtualClock) return [wrongKey(context, operation)]
      const fixture = kind === 'key' ? 'accessKey' : from
      return make(fixture ? requireOrSkip(context.fixtures.credentials[fixture], `credentials.${fixture}`) : '')
    }
    const send = async (context: CheckContext) => {
      const headers = withKey && keyScheme ? { [keyScheme.header]: wrongKey(context, operation) } : {}
      const noEffect = noEffectOf(operation, `with the credential ${name}`)
      const answers: Answered[] = []
      for (const [index, value] of valuesOf(context).entries())
        answers.push(
          ...(await onEachId(
            context,
            operation,
            { credential: { scheme, value }, headers, noEffect },
            hasKey || index > 0,
          )),
        )
      return answers
    }
    const plain: PlainCase = {
      needs: [...new Set([...needsOf(operation), ...(from ? ([`credentials.${from}`] as const) : [])])],
      ...(hasKey && { wrongKey: true as const }),
      ...(isStated && !withKey && { part: scheme }),
      send,
    }
    return [name, plain] as const
  })
  return Object.fromEntries(cases.filter((each) => each !== undefined))
}

/** Returns the refusals of an operation: of requests without credentials, for one absent id, and with each broken body. */
async function refusals(context: CheckContext, operation: Operation): Promise<readonly Answered[]> {
  const without = await refusalsWithout(context, operation)
  const others = await responsesTo(context, operation, (cases) => [
    ...cases.filter(({ kind }) => kind === 'absent').slice(0, 1),
    ...cases.filter(({ kind, place }) => kind === 'broken' && place === 'body'),
  ])
  return [...without, ...others].filter((answer) => !isSuccess(answer))
}

/** Returns the responses to selected cases of the input. Checks of a run share these responses, unless each check needs a new item. */
async function responsesTo(
  context: CheckContext,
  operation: Operation,
  select: (cases: readonly InputCase[]) => readonly InputCase[],
): Promise<readonly Answered[]> {
  const inputs = await inputsOf(context, operation)
  const answers: Answered[] = []
  await judgeCases(context, inputs, select(inputs.cases), (response) => void answers.push(response))
  return answers
}

/**
 * Sends one request per broken constraint of a query parameter, and one in which every parameter has the same odd text, because an error
 * may list several problems.
 */
async function invalidQueries(context: CheckContext, operation: Operation): Promise<readonly Answered[]> {
  const each = await responsesTo(context, operation, (cases) =>
    cases.filter(({ kind, place }) => kind === 'broken' && place === 'query'),
  )
  const names = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  const query = Object.fromEntries(names.map((name) => [name, invalidText]))
  return [...each, await call(context, operation, { query })]
}

async function limited(context: CheckContext, operation: Operation): Promise<readonly Answered[]> {
  return (await exceedLimit(context, operation)).all.filter(({ status }) => status === 429)
}

/** Makes the case of a pull zone whose logs cannot be read (§7). */
function ofClosedZone(
  operation: Operation,
  fixture: 'suspendedZoneId' | 'disabledZoneId' | 'unloggedZoneId',
): PlainCase {
  const of = { needs: [fixture, 'credentials.accessKey'], uses: ['loggedZoneId', 'otherLoggedZoneId'] } as const
  return requestsOf(operation, of, async (context) => {
    const path = idPath(operation, requireOrSkip(context.fixtures[fixture], fixture))
    const requests = await permittedRequests(context, operation)
    return requests.map((one) => ({ ...one, path: { ...one.path, ...path } }))
  })
}

/** Returns requests that succeed on a pull zone with logging: with each scheme, with each parameter, and for earlier days. */
async function permittedRequests(context: CheckContext, operation: Operation): Promise<RequestParts[]> {
  const { bearer } = context.fixtures.credentials
  const schemes = operation.schemes.filter((_, index) => index === 0 || bearer !== undefined)
  // Without traffic, no valid values of the parameters are known.
  const name = operation.name === 'query-logs' ? operation.name : 'read-log-file'
  const [reference] = await knownRowsOf(context, name).catch(() => [])
  const values = reference ? Object.entries(parameterValues(reference)) : []
  const daysAgo = (days: number) => dayPath(operation, new Date(context.now().getTime() - days * dayMs))
  return [
    ...schemes.map((scheme) => ({ credential: credentialOf(context, operation, scheme) })),
    ...values.map(([parameter, [value = '']]) => ({
      query: (reference && sentParameters(reference, { [parameter]: value })) ?? {},
      path: daysAgo(1),
    })),
    ...(name === 'query-logs' ? [] : [{ path: daysAgo(2) }]),
  ]
}

/**
 * The cases of the logs: plain queries, pages, orders, combined parameters, and one case for each rule with queries of its own.
 */
function ofLogs(operation: Operation): Record<string, PlainCase> {
  const of = { basis: 'supplement', needs: logged, uses: ['otherLoggedZoneId'] } as const
  const queries = (...names: readonly string[]): PlainCase => ({
    ...of,
    send: (context) => sendQueryCases(context, operation, names),
  })
  return {
    queries: queries('limit'),
    pages: queries('limit', 'offset'),
    orders: queries('order', 'sort'),
    // On a live target, other checks send these queries, and each of their exchanges is judged, too.
    combined: { ...of, send: async (context) => (context.virtualClock ? sendQueryCases(context, operation) : []) },
    'default-range': requestsOf(operation, { needs: logged }, ({ now }) => [
      { query: { limit: '1' } },
      { query: { limit: '1', to: new Date(now().getTime() - hourMs).toISOString() } },
    ]),
    'misread-ids': requestsOf(operation, of, ({ fixtures }) =>
      misreadIds(requireOrSkip(fixtures.loggedZoneId, 'loggedZoneId')).map((id) => ({
        path: idPath(operation, id),
        query: shortResponse(operation),
      })),
    ),
    'no-match': requestsOf(operation, of, async (context) => {
      const { from, to } = await referenceOf(context)
      return Object.keys(logFilters['query-logs']).map((name) => ({
        query: { ...rangeQuery(from, to), [name]: noSuchText },
      }))
    }),
    limits: requestsOf(operation, of, async (context) => {
      const { minimum = 0, maximum = 0 } = operation.parameters.find(({ name }) => name === 'limit')?.schema ?? {}
      const { from, to } = await referenceOf(context)
      // A server that keeps only 32 bits reads the last limit as 1.
      const limits = [minimum, maximum, minimum - 1, maximum + 1, 2 ** 32 + 1]
      const recent = rangeQuery(Math.max(from, to - dayMs), to)
      return limits.map((limit) => ({ query: { ...recent, limit: `${limit}` } }))
    }),
    days: requestsOf(operation, { needs: logged }, (context) => {
      const yesterday = new Date(context.now().getTime() - dayMs)
      const days = [yesterday, context.now()].map(dayOf)
      // The first and last lines of each file show a server that ignores the day, or that ends it at another time than midnight UTC.
      const ends = days.flatMap((day) => ['asc', 'desc'].map((sort) => [day, { sort, end: '10' }] as const))
      const impossible = Object.values(impossibleDays(yesterday)).map((day) => [day, { end: '1' }] as const)
      const name = dayParameterOf(operation) ?? ''
      return [...ends, ...impossible].map(([day, query]) => ({ path: { [name]: day }, query }))
    }),
    download: requestsOf(operation, { needs: logged }, async (context) => {
      const path = dayPath(operation, (await shownDay(context)).day)
      const query = shortResponse(operation)
      return [
        { path, query },
        { path, query: { ...query, download: 'false' } },
      ]
    }),
  }
}

/** Makes a case that sends requests one after another. */
function requestsOf(
  operation: Operation,
  details: Omit<PlainCase, 'send'>,
  make: (context: CheckContext) => readonly RequestParts[] | Promise<readonly RequestParts[]>,
): PlainCase {
  const send = async (context: CheckContext) => {
    const answers: Answered[] = []
    for (const request of await make(context)) answers.push(await call(context, operation, request))
    return answers
  }
  return { ...details, send }
}
