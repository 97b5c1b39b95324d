import type { Operation } from '@cdn/api/contract'
import { contracts } from '@cdn/api/contract'
import {
  expectRefused,
  expectStatus,
  expectSuccess,
  type ReceivedResponse,
  skipIfServerFailed,
} from '../../core/answer.ts'
import { call, credentialOf, type Request, type SentCredential } from '../../core/call.ts'
import type { CheckContext, Need } from '../../core/check.ts'
import { need, Skip } from '../../core/failure.ts'
import { range } from '../../core/logs.ts'
import { isImported, labelOf, pathTo, resourceOf } from '../resources.ts'
import { attempt, confirmed, failOn } from '../state/attempt.ts'
import { itemsFor, validChange } from '../state/requests.ts'
import { guardedRequest, writeOf } from '../writes.ts'
import { type ContractChecks, type Draft, type Drafted, draft, isListed, needsOf, toSlug } from './contract-checks.ts'
import { preparedThrough, validCall, validRequest } from './success.ts'

/** Missing, wrong and expired credentials are refused. Each scheme and each scope is sufficient by itself (§5). */
export const credentials: ContractChecks = (operation) => {
  if (operation.schemes.length === 0) return []
  return [
    missing(operation),
    ...operation.schemes.map((scheme) => accepts(operation, scheme)),
    ...invalid(operation),
    // The fixtures have keys and tokens with a single scope only for the platform, not for imported interfaces.
    ...(operation.scopes.length > 0 && !isImported(operation) ? scopes(operation) : []),
  ]
}

function missing(operation: Operation): Drafted {
  // The status of §5, rule 6, is a rule of the platform. An imported contract may require another one.
  const isStated = !isImported(operation) || operation.responses.some(({ status }) => status === '401')
  return draft(operation, {
    slug: '401-missing',
    topic: 'authentication.missing',
    text: `A request without credentials is ${isStated ? 'answered 401' : 'refused'}.`,
    run: async (context) => {
      for (const answer of await refusalsWithout(context, operation)) {
        if (isStated) expectStatus(answer, 401)
        else expectDeliberatelyRefused(answer)
      }
    },
  })
}

/** Returns the answers without credentials, for every id: credentials come before existence and state of a resource (§5). */
export function refusalsWithout(context: CheckContext, operation: Operation): Promise<readonly ReceivedResponse[]> {
  return context.once(`without credentials ${labelOf(operation)}`, () => onEachId(context, operation, undefined))
}

/** Sends a credential with each id of the fixtures. A write reaches no other existing resource, whose undo is unknown. */
async function onEachId(context: CheckContext, operation: Operation, credential: SentCredential) {
  const request = await preparedRequest(context, operation)
  const resource = resourceOf(operation)
  const names = resource ? [resource.absent, ...(operation.effect === 'read' ? resource.others : [])] : []
  const ids = names.flatMap((name) => context.fixtures[name] ?? [])
  const answers = [await call(context, operation, { ...request, credential })]
  for (const id of ids)
    answers.push(await call(context, operation, { ...request, path: pathTo(operation, id), credential }))
  return answers
}

function accepts(operation: Operation, scheme: string): Drafted {
  const key = isKey(operation, scheme)
  // The supplement states no rule for its own operations, so they are checked against the spec's default (§5, rule 1).
  const topic = operation.interface === 'management' && key ? { topic: 'authentication.default' } : {}
  const needs = needsOf(operation).filter((name) => !name.startsWith('credentials.'))
  return draft(operation, {
    slug: toSlug(scheme),
    ...topic,
    ...preparedThrough(operation),
    text: `The operation accepts the scheme ${scheme}.`,
    needs: isImported(operation) ? needs : [...needs, key ? 'credentials.accessKey' : 'credentials.bearer'],
    run: async (context) =>
      expectSuccess(await validCall(context, operation, { credential: credentialOf(context, operation, scheme) })),
  })
}

/** The status that the contract states for invalid credentials. */
function invalidStatus(operation: Operation): number | undefined {
  if (operation.interface === 'logging') return 403 // §5 rule 6
  return operation.responses.some(({ status }) => status === '401') ? 401 : undefined
}

/** A credential that must be refused, and the fixtures that it is made from. */
interface Invalid {
  readonly aspect: string
  readonly scheme: string
  readonly needs: readonly Need[]
  readonly wrongKey?: true
  value(context: CheckContext): string
}

const wrongTokens: readonly Omit<Invalid, 'scheme'>[] = [
  { aspect: 'malformed-token', needs: [], value: () => 'not.a.token' },
  { aspect: 'expired-token', needs: ['credentials.expired'], value: (context) => tokenOf(context, 'expired') },
  {
    aspect: 'forged-token',
    needs: ['credentials.bearer'],
    value: (context) => withOtherSignature(tokenOf(context, 'bearer')),
  },
  {
    aspect: 'unsigned-token',
    needs: ['credentials.bearer'],
    value: (context) => withoutSignature(tokenOf(context, 'bearer')),
  },
]

function tokenOf({ fixtures }: CheckContext, name: 'bearer' | 'expired'): string {
  return need(fixtures.credentials[name], `credentials.${name}`)
}

function invalidCredentials(operation: Operation): Invalid[] {
  // The other tokens are made from those of the platform.
  const tokens = isImported(operation) ? wrongTokens.slice(0, 1) : wrongTokens
  return operation.schemes.flatMap((scheme): Invalid[] => {
    if (!isKey(operation, scheme)) return tokens.map((token) => ({ ...token, scheme }))
    const value = isImported(operation) ? () => noKey : wrongKey
    return [{ aspect: wrongKeyOf(operation, scheme), scheme, needs: [], wrongKey: true, value }]
  })
}

/** The aspect of a wrong key. Only an operation with several keys names the scheme. */
function wrongKeyOf(operation: Operation, scheme: string): string {
  const keys = operation.schemes.filter((name) => isKey(operation, name))
  return keys.length > 1 ? `wrong-key-${toSlug(scheme)}` : 'wrong-key'
}

/** An API key that no account has. */
const noKey = '00000000-0000-0000-0000-000000000000'

/** Returns the run's API key with another last character: a server must compare all of them. */
export function wrongKey({ fixtures }: CheckContext): string {
  const key = fixtures.credentials.accessKey ?? noKey
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

function isKey(operation: Operation, scheme: string): boolean {
  return contracts[operation.interface].schemes.find(({ name }) => name === scheme)?.kind === 'key'
}

/** Returns a valid JWT (§5) with a changed, and therefore wrong, signature. */
function withOtherSignature(token: string): string {
  const [header, claims, signature] = partsOf(token)
  // Change the first character, because the last one may hold bits that are not part of the signature.
  return [header, claims, (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)].join('.')
}

/** Returns the claims of a valid JWT (§5) with a header that declares the token unsigned. */
function withoutSignature(token: string): string {
  const [, claims] = partsOf(token)
  return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`
}

function partsOf(token: string): [header: string, claims: string, signature: string] {
  const [header, claims, signature, ...more] = token.split('.')
  if (!header || !claims || !signature || more.length > 0) throw new Skip('credentials.bearer is not a signed JWT')
  return [header, claims, signature]
}

function invalid(operation: Operation): Drafted[] {
  const status = invalidStatus(operation)
  const documented = operation.interface === 'logging' || isListed(operation, '401')
  const none = { aspect: 'no-credential', needs: needsOf(operation) }
  const without = writeOf(operation) ? [withoutEffect(operation, none, () => undefined, documented)] : []
  const withInvalid = invalidCredentials(operation).flatMap(({ aspect, scheme, needs, wrongKey, value }) => {
    const credential = (context: CheckContext) => ({ scheme, value: value(context) })
    const common = {
      aspect,
      needs: [...new Set([...needsOf(operation), ...needs])],
      ...(wrongKey && { wrongKey }),
    }
    const drafts: Drafted[] = []
    // The spec may not name a status for this case, but it states which credential the operation takes (§5, rule 3).
    if (!documented && operation.source === 'spec') {
      drafts.push(
        draft(operation, {
          ...common,
          slug: 'access-key',
          topic: 'authentication.default',
          text: 'The operation needs a valid API key.',
          run: async (context) => expectDeliberatelyRefused(await callWith(context, operation, credential(context))),
        }),
      )
    }
    if (status !== undefined) {
      drafts.push(
        draft(operation, {
          ...common,
          slug: `${status}`,
          // The interface accepts both schemes, so an invalid credential of each scheme must be refused.
          ...(documented && { part: scheme }),
          ...(operation.interface === 'logging' && { topic: 'authentication.invalid' }),
          text: `A request whose authorization failed is answered ${status}.`,
          run: async (context) => {
            // A night sends one wrong key, but any number of wrong tokens.
            const send = wrongKey ? async () => [await callWith(context, operation, credential(context))] : onEachId
            for (const answer of await send(context, operation, credential(context))) expectStatus(answer, status)
          },
        }),
      )
    }
    if (writeOf(operation)) drafts.push(withoutEffect(operation, common, credential, documented))
    return drafts
  })
  return [...without, ...withInvalid]
}

function withoutEffect(
  operation: Operation,
  common: { aspect: string; needs: readonly Need[]; wrongKey?: true },
  credential: (context: CheckContext) => SentCredential,
  documented: boolean,
): Drafted {
  return draft(operation, {
    ...common,
    slug: documented ? '401' : 'access-key',
    topic: 'authentication.default',
    aspect: `${common.aspect}-no-effect`,
    text: 'A request whose authorization failed changes nothing.',
    basis: 'supplement',
    run: confirmed((context) => expectNoEffect(context, operation, credential(context))),
  })
}

/** The fixtures with a single scope (`all`) and without a scope (`none`), by kind of credential. */
const scoped = {
  bearer: { all: 'byScope', none: 'noScope' },
  key: { all: 'keyByScope', none: 'noScopeKey' },
} as const

/** Each scheme is sufficient with any one of the scopes, and insufficient without a scope (§5, rule 2). */
function scopes(operation: Operation): Drafted[] {
  return contracts[operation.interface].schemes
    .filter(({ name }) => operation.schemes.includes(name))
    .flatMap(({ name: scheme, kind }) => scopesOf(operation, scheme, kind))
}

function scopesOf(operation: Operation, scheme: string, kind: keyof typeof scoped): Drafted[] {
  const { all, none } = scoped[kind]
  const resource = needsOf(operation).filter((name) => name !== 'credentials.accessKey')
  const make = (part: Pick<Draft, 'slug' | 'text' | 'basis' | 'needs' | 'run'>, detail?: string) => {
    const aspect = [kind === 'bearer' ? undefined : toSlug(scheme), detail].filter(Boolean).join('-')
    return draft(operation, { ...part, part: scheme, ...(aspect && { aspect }) })
  }
  const noScope = ({ fixtures }: CheckContext): SentCredential => ({
    scheme,
    value: need(fixtures.credentials[none], `credentials.${none}`),
  })
  const missing = {
    slug: 'scope-missing',
    text: 'Without one of the scopes nothing happens.',
    needs: [...resource, `credentials.${none}`] as const,
  }
  const enough = operation.scopes.map((scope) =>
    make({
      slug: `scope-${toSlug(scope)}`,
      ...preparedThrough(operation),
      text: `The scope ${scope} is enough.`,
      needs: [...resource, `credentials.${all}`],
      run: async (context) => {
        const value = need(context.fixtures.credentials[all]?.[scope], `credentials.${all}.${scope}`)
        expectSuccess(await validCall(context, operation, { credential: { scheme, value } }))
      },
    }),
  )
  const refused = make({
    ...missing,
    run: async (context) => {
      const answer = await callWith(context, operation, noScope(context))
      context.observe(`${operation.interface}.${operation.name}.scope-missing-status`, answer.status)
      expectDeliberatelyRefused(answer)
    },
  })
  if (!writeOf(operation)) return [...enough, refused]
  const run = confirmed((context: CheckContext) => expectNoEffect(context, operation, noScope(context)))
  return [...enough, refused, make({ ...missing, basis: 'supplement', run }, 'no-effect')]
}

function expectDeliberatelyRefused(answer: ReceivedResponse): void {
  expectRefused(answer)
  skipIfServerFailed(answer)
}

async function callWith(
  context: CheckContext,
  operation: Operation,
  credential: SentCredential,
): Promise<ReceivedResponse> {
  return call(context, operation, { ...(await preparedRequest(context, operation)), credential })
}

/**
 * Prepares a request that must be refused. A write would have a visible effect if the server accepted it. A read of the logs was
 * answered before with a valid credential, so that a cache may hold its answer.
 */
async function preparedRequest(context: CheckContext, operation: Operation): Promise<Request> {
  if (operation.effect !== 'read') return guardedRequest(context, operation)
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

async function expectNoEffect(context: CheckContext, operation: Operation, credential: SentCredential): Promise<void> {
  const write = writeOf(operation)
  if (!write) throw new Skip(`the suite cannot see what ${operation.name} changes`)
  const items = await itemsFor(context, write)
  const request = { ...(await validChange(context, write, items)), credential }
  failOn(await attempt(context, { operation: write, items, request, rule: 'refused' }), 'effect', 'rest', 'other-items')
}
