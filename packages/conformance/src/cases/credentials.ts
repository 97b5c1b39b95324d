import { contracts, type Operation, type SecurityScheme } from '@cdn/api/contract'

import { type ContractChecks, type Draft, type Drafted, draft, isListed, needsOf, toSlug } from '../requirements.ts'
import { call, credentialOf, type Request, type SentCredential } from '../run/call.ts'
import type { CheckContext, Need } from '../run/check.ts'
import { need, Skip } from '../run/failure.ts'
import { expectRefused, expectStatus, expectSuccess, type ReceivedResponse } from '../run/response.ts'
import { isSweepable } from '../run/sweep/declared.ts'
import { attemptValid, confirmed, failOn, send } from '../scenarios/state/attempt.ts'
import { itemsFor } from '../scenarios/state/created-items.ts'
import { validChange } from '../scenarios/state/requests.ts'
import { range } from './logs/rows.ts'
import { pathTo, resourceOf } from './resources.ts'

import { preparedThrough, validCall, validRequest } from './success.ts'

/** Missing, wrong and expired credentials are refused. Each scheme and each scope is sufficient by itself (§5). */
export const credentials: ContractChecks = (operation) => {
  const schemes = contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
  if (schemes.length === 0) return []
  return [
    ...missing(operation),
    ...schemes.map((scheme) => accepted(operation, scheme)),
    ...schemes.flatMap((scheme) => invalid(operation, scheme)),
    ...(operation.scopes.length > 0 ? schemes.flatMap((one) => scopes(operation, one)) : []),
  ]
}

/** A credential that is sufficient, or that must be refused. */
type Credential = (context: CheckContext) => SentCredential

/** The needs of a check whose credential is not the API key of the run. */
function needsWith(operation: Operation, name: Need): readonly Need[] {
  return [...needsOf(operation).filter((other) => !other.startsWith('credentials.')), name]
}

function accepts(operation: Operation, details: Omit<Draft, 'run'>, credential: Credential): Drafted {
  const run = async (context: CheckContext) =>
    expectSuccess(await validCall(context, operation, { credential: credential(context) }))
  return draft(operation, { ...details, ...preparedThrough(operation), run })
}

function accepted(operation: Operation, { name, kind }: SecurityScheme): Drafted {
  const isDefault = operation.interface === 'management' && kind === 'key'
  const details = {
    slug: toSlug(name),
    // The supplement states no rule for its own operations, so they are checked against the spec's default (§5, rule 1).
    ...(isDefault && { topic: 'authentication.default' }),
    text: `The operation accepts the scheme ${name}.`,
    needs: needsWith(operation, kind === 'key' ? 'credentials.accessKey' : 'credentials.bearer'),
  }
  return accepts(operation, details, (context) => credentialOf(context, operation, name))
}

/** Refused with a status, or with any status if none is stated. */
function expectRefusal(response: ReceivedResponse, status: number | undefined): void {
  if (status === undefined) expectRefused(response)
  else expectStatus(response, status)
}

function missing(operation: Operation): Drafted[] {
  const refused = draft(operation, {
    slug: '401-missing',
    topic: 'authentication.missing',
    text: 'A request without credentials is answered 401.',
    run: async (context) => {
      for (const response of await refusalsWithout(context, operation)) expectStatus(response, 401) // §5, rule 6
    },
  })
  return [refused, ...withoutEffect(operation, { ...ofInvalid(operation), aspect: 'no-credential' }, () => undefined)]
}

/** Returns the responses without credentials, for every id: credentials come before existence and state of a resource (§5). */
export function refusalsWithout(context: CheckContext, operation: Operation): Promise<readonly ReceivedResponse[]> {
  return context.once(`without credentials ${operation.name}`, () => onEachId(context, operation, undefined))
}

/** Sends a credential with each id of the fixtures. A write reaches no other existing resource, which no sweep restores. */
async function onEachId(context: CheckContext, operation: Operation, credential: SentCredential, isOne = false) {
  const write = isSweepable(operation) ? operation : undefined
  const items = write && (await itemsFor(context, write))
  const valid = write && items ? await validChange(context, write, items) : await answeredRequest(context, operation)
  const request = { ...valid, path: { ...valid.path }, credential }
  const { own = [], absent, others = [] } = resourceOf(operation) ?? {}
  const names = absent && !isOne ? [absent, ...(operation.effect === 'read' ? [...own.slice(1), ...others] : [])] : []
  const sent = write && items && { operation: write, items, request, rule: 'refused' as const }
  const responses = [await (sent ? send(context, sent) : call(context, operation, request))]
  for (const id of names.flatMap((name) => context.fixtures[name] ?? []))
    responses.push(await call(context, operation, { ...request, path: pathTo(operation, id) }))
  return responses
}

/** Returns a valid request. One of the logs was answered before with a valid credential, so that a cache may hold its response. */
async function answeredRequest(context: CheckContext, operation: Operation): Promise<Request> {
  if (operation.effect !== 'read') return {}
  const request = await validRequest(context, operation)
  if (operation.interface !== 'logging') return request
  return context.once(`answered request ${operation.name}`, async () => {
    const now = context.now().getTime()
    const fixed = operation.name === 'query-logs' ? range(now - 7_200_000, now - 3_600_000) : {}
    const answered = { ...request, query: { ...request.query, ...fixed } }
    if (context.fixtures.credentials.accessKey !== undefined) await call(context, operation, answered)
    return answered
  })
}

/** The requirement that an invalid credential has no effect: by its status if the contract lists it, or else the rule that a key is needed. */
function ofInvalid(operation: Operation): Pick<Draft, 'slug' | 'topic'> {
  return { slug: isListed(operation, '401') ? '401' : 'access-key', topic: 'authentication.default' }
}

/** A refused write changes nothing. */
function withoutEffect(
  operation: Operation,
  details: Pick<Draft, 'slug' | 'topic' | 'aspect' | 'part' | 'needs' | 'wrongKey'>,
  credential: Credential,
): Drafted[] {
  if (!isSweepable(operation)) return []
  const run = async (context: CheckContext) => {
    const refused = { credential: credential(context), rule: 'refused' } as const
    failOn(await attemptValid(context, operation, refused), 'effect', 'rest', 'other-items')
  }
  const aspect = [details.aspect, 'no-effect'].filter(Boolean).join('-')
  const text = 'A request whose authorization failed changes nothing.'
  return [draft(operation, { ...details, text, aspect, basis: 'supplement', run: confirmed(run) })]
}

/** Wrong tokens, and the tokens of the fixtures that they are made from. */
const wrongTokens: readonly (readonly [
  aspect: string,
  from: 'expired' | 'bearer' | undefined,
  make: (token: string) => string,
])[] = [
  ['malformed-token', undefined, () => 'not.a.token'],
  ['expired-token', 'expired', (token) => token],
  ['forged-token', 'bearer', withOtherSignature],
  ['unsigned-token', 'bearer', withoutSignature],
]

/** An API key that no account has. */
const noKey = '00000000-0000-0000-0000-000000000000'

/** Returns the run's API key with another last character: a server must compare all of them. */
export function wrongKey({ fixtures }: CheckContext): string {
  const key = fixtures.credentials.accessKey ?? noKey
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

/** Returns a valid JWT (§5) with a changed, and therefore wrong, signature. */
function withOtherSignature(token: string): string {
  const [header, claims, signature] = partsOf(token)
  // Change the first character, because the last one may hold bits that are not part of the signature.
  return [header, claims, (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)].join('.')
}

/** Returns the claims of a valid JWT (§5) with a header that declares the token unsigned. */
function withoutSignature(token: string): string {
  return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${partsOf(token)[1]}.`
}

function partsOf(token: string): [header: string, claims: string, signature: string] {
  const [header, claims, signature, ...more] = token.split('.')
  if (!header || !claims || !signature || more.length > 0) throw new Skip('credentials.bearer is not a signed JWT')
  return [header, claims, signature]
}

/** Checks of the invalid credentials of a scheme. */
function invalid(operation: Operation, { name: scheme, kind }: SecurityScheme): Drafted[] {
  if (kind === 'key') {
    const isOneOfSeveral =
      contracts[operation.interface].schemes.filter((one) => one.kind === 'key' && operation.schemes.includes(one.name))
        .length > 1
    const aspect = isOneOfSeveral ? `wrong-key-${toSlug(scheme)}` : 'wrong-key'
    return refusals(operation, scheme, { aspect, wrongKey: true }, (context) => ({ scheme, value: wrongKey(context) }))
  }
  return wrongTokens.flatMap(([aspect, from, make]) => {
    const needs = [...new Set([...needsOf(operation), ...(from ? ([`credentials.${from}`] as const) : [])])]
    const value = ({ fixtures }: CheckContext) =>
      make(from ? need(fixtures.credentials[from], `credentials.${from}`) : '')
    return refusals(operation, scheme, { aspect, needs }, (context) => ({ scheme, value: value(context) }))
  })
}

/** An invalid credential is refused with the status that the contract states for it, and changes nothing. */
function refusals(
  operation: Operation,
  scheme: string,
  details: Pick<Draft, 'aspect' | 'needs' | 'wrongKey'>,
  credential: Credential,
): Drafted[] {
  const isLogs = operation.interface === 'logging'
  const isStated = isLogs || isListed(operation, '401')
  const refused = (rest: Pick<Draft, 'slug' | 'topic' | 'part' | 'text'>, status?: number) =>
    draft(operation, {
      ...details,
      ...rest,
      run: async (context) => {
        // A night sends one wrong key, but any number of wrong tokens.
        const responses = await onEachId(context, operation, credential(context), details.wrongKey)
        for (const response of responses) expectRefusal(response, status)
      },
    })
  // The spec may not name a status for this case, but it states which credential the operation takes (§5, rule 3).
  const byRule = operation.source === 'spec' && !isStated
  const status = isLogs ? 403 : operation.responses.some((one) => one.status === '401') ? 401 : undefined // §5, rule 6
  return [
    ...(byRule ? [refused({ ...ofInvalid(operation), text: 'The operation needs a valid API key.' })] : []),
    ...(status === undefined
      ? []
      : [
          refused(
            {
              slug: `${status}`,
              // The interface accepts both schemes, so an invalid credential of each scheme must be refused.
              ...(isStated && { part: scheme }),
              ...(isLogs && { topic: 'authentication.invalid' }),
              text: `A request whose authorization failed is answered ${status}.`,
            },
            status,
          ),
        ]),
    ...withoutEffect(operation, { ...details, ...ofInvalid(operation) }, credential),
  ]
}

/** The fixtures with a single scope (`all`) and without a scope (`none`), by kind of credential. */
const scoped = {
  bearer: { all: 'byScope', none: 'noScope' },
  key: { all: 'keyByScope', none: 'noScopeKey' },
} as const

/** A scheme is sufficient with any one of the scopes, and insufficient without a scope (§5, rule 2). */
function scopes(operation: Operation, { name: scheme, kind }: SecurityScheme): Drafted[] {
  const { all, none } = scoped[kind]
  const common = { part: scheme, ...(kind === 'key' && { aspect: toSlug(scheme) }) }
  const noScope: Credential = ({ fixtures }) => ({
    scheme,
    value: need(fixtures.credentials[none], `credentials.${none}`),
  })
  const missing = { ...common, slug: 'scope-missing', needs: needsWith(operation, `credentials.${none}`) }
  const enough = operation.scopes.map((scope) => {
    const text = `The scope ${scope} is enough.`
    const details = {
      ...common,
      slug: `scope-${toSlug(scope)}`,
      text,
      needs: needsWith(operation, `credentials.${all}`),
    }
    return accepts(operation, details, ({ fixtures }) => ({
      scheme,
      value: need(fixtures.credentials[all]?.[scope], `credentials.${all}.${scope}`),
    }))
  })
  const refused = draft(operation, {
    ...missing,
    text: 'Without one of the scopes nothing happens.',
    run: async (context) => {
      const [response] = await onEachId(context, operation, noScope(context), true)
      if (!response) return
      context.observe(`${operation.interface}.${operation.name}.scope-missing-status`, response.status)
      expectRefusal(response, undefined)
    },
  })
  return [...enough, refused, ...withoutEffect(operation, missing, noScope)]
}
