import type { Operation } from '@cdn/api/contract'
import { contracts } from '@cdn/api/contract'
import { type Answer, describe, expectRefused, expectStatus, expectSuccess } from '../answer.ts'
import { type Credential, call, credentialOf } from '../call.ts'
import type { CheckContext, Need } from '../check.ts'
import { expect, need, Skip } from '../failure.ts'
import { writes } from '../writes.ts'
import { type Drafted, draft, isListed, type Law, needsOf, toSlug } from './law.ts'
import { validCall, validRequest } from './success.ts'

/** None, wrong and expired credentials are refused; each scheme and each scope alone is enough (§5). */
export const credentials: Law = (operation) => {
  if (operation.schemes.length === 0) return []
  return [
    missing(operation),
    ...operation.schemes.map((scheme) => accepts(operation, scheme)),
    ...invalid(operation),
    ...(operation.scopes.length > 0 ? scopes(operation) : []),
  ]
}

function missing(operation: Operation): Drafted {
  return draft(operation, {
    slug: '401-missing',
    topic: 'authentication.missing',
    text: 'A request without credentials is answered 401.',
    run: async (context) => expectStatus(await callWith(context, operation, undefined), 401),
  })
}

function accepts(operation: Operation, scheme: string): Drafted {
  const key = contracts[operation.interface].schemes.find(({ name }) => name === scheme)?.kind === 'key'
  // What the document says of operations without a rule of their own (§5, rule 1) shows in the supplement's operations.
  const topic = operation.interface === 'management' && key ? { topic: 'authentication.default' } : {}
  const resource = needsOf(operation).filter((name) => !name.startsWith('credentials.'))
  return draft(operation, {
    slug: toSlug(scheme),
    ...topic,
    text: `The operation accepts the scheme ${scheme}.`,
    needs: [...resource, key ? 'credentials.accessKey' : 'credentials.bearer'],
    run: async (context) =>
      expectSuccess(await validCall(context, operation, { credential: credentialOf(context, operation, scheme) })),
  })
}

/** The status that the contract states for credentials that are there but not valid. */
function invalidStatus(operation: Operation): number | undefined {
  if (operation.interface === 'logging') return 403 // §5 rule 6
  return operation.responses.some(({ status }) => status === '401') ? 401 : undefined
}

interface Invalid {
  readonly aspect: string
  readonly needs: readonly Need[]
  readonly wrongKey?: true
  credential(context: CheckContext): Credential
}

function invalidCredentials(operation: Operation): Invalid[] {
  return operation.schemes.flatMap((scheme): Invalid[] =>
    contracts[operation.interface].schemes.find(({ name }) => name === scheme)?.kind === 'key'
      ? [
          {
            aspect: 'wrong-key',
            needs: [],
            wrongKey: true,
            credential: () => ({ scheme, value: '00000000-0000-0000-0000-000000000000' }),
          },
        ]
      : [
          { aspect: 'malformed-token', needs: [], credential: () => ({ scheme, value: 'not.a.token' }) },
          {
            aspect: 'expired-token',
            needs: ['credentials.expired'],
            credential: ({ fixtures }) => ({
              scheme,
              value: need(fixtures.credentials.expired, 'credentials.expired'),
            }),
          },
        ],
  )
}

function invalid(operation: Operation): Drafted[] {
  const status = invalidStatus(operation)
  const documented = operation.interface === 'logging' || isListed(operation, '401')
  const none = { aspect: 'no-credential', needs: needsOf(operation) }
  const without = writes[operation.name]?.state ? [withoutEffect(operation, none, () => undefined, documented)] : []
  const withInvalid = invalidCredentials(operation).flatMap(({ aspect, needs, wrongKey, credential }) => {
    const common = { aspect, needs: [...needsOf(operation), ...needs], ...(wrongKey && { wrongKey }) }
    const drafts: Drafted[] = []
    // Where the document names no status for it, it still says which credential the operation takes (§5, rule 3).
    if (!documented && operation.ground === 'document') {
      drafts.push(
        draft(operation, {
          ...common,
          slug: 'access-key',
          topic: 'authentication.default',
          text: 'The operation needs a valid API key.',
          run: async (context) => expectRefused(await callWith(context, operation, credential(context))),
        }),
      )
    }
    if (status !== undefined) {
      drafts.push(
        draft(operation, {
          ...common,
          slug: `${status}`,
          ...(operation.interface === 'logging' && { topic: 'authentication.invalid' }),
          text: `A request whose authorization failed is answered ${status}.`,
          run: async (context) => expectStatus(await callWith(context, operation, credential(context)), status),
        }),
      )
    }
    if (writes[operation.name]?.state) drafts.push(withoutEffect(operation, common, credential, documented))
    return drafts
  })
  return [...without, ...withInvalid]
}

function withoutEffect(
  operation: Operation,
  common: { aspect: string; needs: readonly Need[]; wrongKey?: true },
  credential: (context: CheckContext) => Credential,
  documented: boolean,
): Drafted {
  return draft(operation, {
    ...common,
    slug: documented ? '401' : 'access-key',
    topic: 'authentication.default',
    aspect: `${common.aspect}-no-effect`,
    text: 'A request whose authorization failed changes nothing.',
    through: 'supplement',
    run: async (context) => {
      await expectNoEffect(context, operation, credential(context))
    },
  })
}

function scopes(operation: Operation): Drafted[] {
  const [bearer] = contracts[operation.interface].schemes.filter(({ kind }) => kind === 'bearer')
  if (!bearer) return []
  const scheme = bearer.name
  const resource = needsOf(operation).filter((name) => name !== 'credentials.accessKey')
  const enough = operation.scopes.map((scope) =>
    draft(operation, {
      slug: `scope-${toSlug(scope)}`,
      text: `The scope ${scope} is enough.`,
      needs: [...resource, 'credentials.byScope'],
      run: async (context) => {
        const value = need(context.fixtures.credentials.byScope?.[scope], `credentials.byScope.${scope}`)
        expectSuccess(await validCall(context, operation, { credential: { scheme, value } }))
      },
    }),
  )
  const noScope = ({ fixtures }: CheckContext): Credential => ({
    scheme,
    value: need(fixtures.credentials.noScope, 'credentials.noScope'),
  })
  const missingScope = {
    slug: 'scope-missing',
    text: 'Without one of the scopes nothing happens.',
    needs: [...resource, 'credentials.noScope'] as const,
  }
  return [
    ...enough,
    draft(operation, {
      ...missingScope,
      run: async (context) => {
        const answer = await callWith(context, operation, noScope(context))
        context.observe(`${operation.interface}.${operation.name}.scope-missing-status`, answer.status)
        expectRefused(answer)
      },
    }),
    ...(writes[operation.name]?.state
      ? [
          draft(operation, {
            ...missingScope,
            aspect: 'no-effect',
            through: 'supplement',
            run: async (context) => {
              await expectNoEffect(context, operation, noScope(context))
            },
          }),
        ]
      : []),
  ]
}

async function callWith(context: CheckContext, operation: Operation, credential: Credential): Promise<Answer> {
  return call(context, operation, { ...(await preparedRequest(context, operation)), credential })
}

/** A request that must be refused needs no state of its own, but it must leave a trace if it is not. */
async function preparedRequest(context: CheckContext, operation: Operation) {
  return operation.effect === 'read' || writes[operation.name] ? validRequest(context, operation) : {}
}

async function expectNoEffect(context: CheckContext, operation: Operation, credential: Credential): Promise<void> {
  const write = writes[operation.name]
  if (!write?.state) throw new Skip(`the suite cannot see what ${operation.name} changes`)
  const request = await write.prepare(context)
  const before = JSON.stringify(await write.state(context))
  const answer = await call(context, operation, { ...request, credential })
  const after = JSON.stringify(await write.state(context))
  expect(after === before, `no effect (${before})`, `${after} after ${describe(answer)}`)
}
