import { contracts, type Operation, operations, type SecurityScheme } from '@cdn/api/contract'
import type { Call, Emulator } from '@cdn/emulator'
import { isListed, requirementIdOf, toSlug } from '../../laws/law.ts'
import { writes } from '../../writes.ts'
import { alterCall, alterOperation, withHeader } from '../alter.ts'
import { type Mutant, mutant, on } from '../mutant.ts'

/** Each scheme and each scope that is enough, refused; each credential that is not, accepted (§5). */
export const credentialMutants: readonly Mutant[] = operations.flatMap((operation) => [
  ...schemesOf(operation).flatMap((scheme) => [refusesScheme(operation, scheme), refusesAtFirst(operation, scheme)]),
  acceptsNone(operation),
  ...schemesOf(operation).flatMap((scheme) => invalid(scheme).map((kind) => acceptsInvalid(operation, scheme, kind))),
  ...operation.scopes.map((scope) => refusesScope(operation, scope)),
  ...(operation.scopes.length > 0 ? [acceptsAnyScope(operation), demandsAllScopes(operation)] : []),
])

function schemesOf(operation: Operation): readonly SecurityScheme[] {
  return contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
}

/** The requirement that the operation accepts the scheme. */
function acceptedBy(operation: Operation, { name, kind }: SecurityScheme): string {
  const topic = operation.interface === 'management' && kind === 'key' ? 'authentication.default' : undefined
  return requirementIdOf(operation, toSlug(name), topic)
}

function refusesScheme(operation: Operation, scheme: SecurityScheme): Mutant {
  return mutant(
    `scheme.${operation.name}.${toSlug(scheme.name)}-refused`,
    `${operation.name} does not look at the header ${scheme.header}.`,
    [acceptedBy(operation, scheme)],
    alterCall([operation.name], (call) => withHeader(call, scheme.header, null)),
  )
}

function refusesAtFirst(operation: Operation, scheme: SecurityScheme): Mutant {
  return mutant(
    `scheme.${operation.name}.${toSlug(scheme.name)}-refused-at-first`,
    `${operation.name} refuses the first request with the header ${scheme.header}.`,
    [acceptedBy(operation, scheme)],
    on([operation.name], () => {
      let requests = 0
      return (call, stated, next) => {
        const refused = call.headers.get(scheme.header) !== null && requests++ === 0
        return next(refused ? withHeader(call, scheme.header, null) : call, stated)
      }
    }),
  )
}

function acceptsNone(operation: Operation): Mutant {
  return mutant(
    `credential.${operation.name}.none-accepted`,
    `${operation.name} can be called without credentials.`,
    [requirementIdOf(operation, '401-missing', 'authentication.missing'), ...effectOf(operation)],
    alterCall([operation.name], (call, { emulator }) =>
      schemesOf(operation).some(({ header }) => call.headers.get(header)) ? call : withKey(call, operation, emulator),
    ),
  )
}

interface Invalid {
  readonly kind: string
  isSent(value: string, emulator: Emulator): boolean
}

/** Credentials that are no good, by what is wrong with them. */
function invalid({ kind }: SecurityScheme): readonly Invalid[] {
  if (kind === 'key') return [{ kind: 'wrong-key', isSent: (value, { state }) => !state.keys.has(value) }]
  return [
    { kind: 'expired-token', isSent: (value, { fixtures }) => value.endsWith(fixtures.credentials.expired) },
    // Whatever has three parts is a token; it may still be a wrong one.
    { kind: 'malformed-token', isSent: (value) => !/\.[\w-]{20,}\./.test(value) },
  ]
}

function acceptsInvalid(operation: Operation, { header }: SecurityScheme, { kind, isSent }: Invalid): Mutant {
  const breaks =
    operation.interface === 'logging'
      ? [requirementIdOf(operation, 'authentication.invalid', 'authentication.invalid')]
      : [...effectOf(operation), ...ruleOf(operation), requirementIdOf(operation, '401')]
  return mutant(
    `credential.${operation.name}.${kind}-accepted`,
    `${operation.name} takes a ${kind.replace('-', ' ')} for a good one.`,
    breaks,
    alterCall([operation.name], (call, { emulator }) => {
      const sent = call.headers.get(header)
      return sent && isSent(sent, emulator) ? withKey(withHeader(call, header, null), operation, emulator) : call
    }),
  )
}

/** The requirement that a refused write has no effect, for writes. */
function effectOf(operation: Operation): string[] {
  if (!writes[operation.name]?.state) return []
  return [requirementIdOf(operation, isListed(operation, '401') ? '401' : 'access-key', 'authentication.default')]
}

/** The requirement that only a valid key is taken, where the document says so and names no status for it. */
function ruleOf(operation: Operation): string[] {
  const isNamed = operation.ground === 'supplement' || isListed(operation, '401')
  return isNamed ? [] : [requirementIdOf(operation, 'access-key', 'authentication.default')]
}

function withKey(call: Call, operation: Operation, { fixtures }: Emulator): Call {
  const key = schemesOf(operation).find(({ kind }) => kind === 'key')
  return key ? withHeader(call, key.header, fixtures.credentials.accessKey) : call
}

function refusesScope(operation: Operation, scope: string): Mutant {
  return mutant(
    `scope.${operation.name}.${toSlug(scope)}-refused`,
    `${operation.name} does not know the scope ${scope}.`,
    [requirementIdOf(operation, `scope-${toSlug(scope)}`)],
    alterOperation([operation.name], ({ scopes, ...rest }) => ({ ...rest, scopes: scopes.filter((s) => s !== scope) })),
  )
}

function acceptsAnyScope(operation: Operation): Mutant {
  return mutant(
    `scope.${operation.name}.any-accepted`,
    `${operation.name} does not look at scopes.`,
    [requirementIdOf(operation, 'scope-missing')],
    alterOperation([operation.name], (stated) => ({ ...stated, scopes: [] })),
  )
}

function demandsAllScopes(operation: Operation): Mutant {
  return mutant(
    `scope.${operation.name}.all-demanded`,
    `${operation.name} asks for all of its scopes at once.`,
    operation.scopes.map((scope) => requirementIdOf(operation, `scope-${toSlug(scope)}`)),
    alterCall([operation.name], (call, { emulator: { fixtures } }) => {
      const sent = call.headers.get('Authorization') ?? ''
      const single = Object.values(fixtures.credentials.byScope).some((token) => sent.endsWith(token))
      return single ? withHeader(call, 'Authorization', null) : call
    }),
  )
}
