import { contracts, isStated, type Operation, operations, type SecurityScheme } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest } from '@cdn/emulator'
import { alterCall, alterOperation, withHeader } from '../alter.ts'
import { mutant, on, type ServerUnderTest } from '../mutant.ts'
import { isListed, requirementIdOf, toSlug } from '../requirements.ts'

/** Mutants that refuse a sufficient scheme or scope, or accept an insufficient credential (§5). */
export const credentialMutants: readonly ServerUnderTest[] = operations.flatMap((operation) => [
  ...schemesOf(operation).flatMap((scheme) => [refusesScheme(operation, scheme), refusesAtFirst(operation, scheme)]),
  acceptsNone(operation),
  ...schemesOf(operation).flatMap((scheme) => invalid(scheme).map((kind) => acceptsInvalid(operation, scheme, kind))),
  ...operation.scopes.map((scope) => refusesScope(operation, scope)),
  ...(operation.scopes.length > 0
    ? [
        acceptsAnyScope(operation),
        demandsAllScopes(operation),
        refusesScopedKeys(operation),
        ignoresScopesOfKeys(operation),
      ]
    : []),
])

function schemesOf(operation: Operation): readonly SecurityScheme[] {
  return contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
}

function acceptedBy(operation: Operation, { name, kind }: SecurityScheme): string {
  const topic = operation.interface === 'management' && kind === 'key' ? 'authentication.default' : undefined
  return requirementIdOf(operation, toSlug(name), topic)
}

function refusesScheme(operation: Operation, scheme: SecurityScheme): ServerUnderTest {
  return mutant(
    `scheme.${operation.name}.${toSlug(scheme.name)}-refused`,
    `${operation.name} ignores the header ${scheme.header}.`,
    [acceptedBy(operation, scheme)],
    alterCall([operation.name], (call) => withHeader(call, scheme.header, null)),
  )
}

function refusesAtFirst(operation: Operation, scheme: SecurityScheme): ServerUnderTest {
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

function acceptsNone(operation: Operation): ServerUnderTest {
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

function invalid({ kind }: SecurityScheme): readonly Invalid[] {
  if (kind === 'key') return [{ kind: 'wrong-key', isSent: (value, { state }) => !state.keys.has(value) }]
  return [
    { kind: 'expired-token', isSent: (value, { fixtures }) => value.endsWith(fixtures.credentials.expired) },
    {
      kind: 'forged-token',
      isSent: (value, { fixtures }) => isForged(value, fixtures.credentials.bearer) && !value.endsWith('.'),
    },
    {
      kind: 'unsigned-token',
      isSent: (value, { fixtures }) => isForged(value, fixtures.credentials.bearer) && value.endsWith('.'),
    },
    // A value with three parts has the form of a token, even if the token is wrong.
    { kind: 'malformed-token', isSent: (value) => !/\.[\w-]{20,}\./.test(value) },
  ]
}

/** Whether a token has the same claims as a good token, but another signature. */
export function isForged(value: string, good: string): boolean {
  return value.split('.')[1] === good.split('.')[1] && !value.endsWith(good)
}

function acceptsInvalid(operation: Operation, { header }: SecurityScheme, { kind, isSent }: Invalid): ServerUnderTest {
  const breaks =
    operation.interface === 'logging'
      ? [requirementIdOf(operation, 'authentication.invalid', 'authentication.invalid')]
      : [...effectOf(operation), ...ruleOf(operation), requirementIdOf(operation, '401')]
  return mutant(
    `credential.${operation.name}.${kind}-accepted`,
    `${operation.name} accepts a ${kind.replace('-', ' ')} as a good one.`,
    breaks,
    alterCall([operation.name], (call, { emulator }) => {
      const sent = call.headers.get(header)
      return sent && isSent(sent, emulator) ? withKey(withHeader(call, header, null), operation, emulator) : call
    }),
  )
}

/** Returns the requirement that a refused write has no effect. The list is empty if the operation is not a write. */
function effectOf(operation: Operation): string[] {
  if (operation.effect === 'read' || !isStated(operation)) return []
  return [requirementIdOf(operation, isListed(operation, '401') ? '401' : 'access-key', 'authentication.default')]
}

/** Returns the requirement that only a valid key is accepted, if the spec states this requirement without a status. */
function ruleOf(operation: Operation): string[] {
  const isNamed = operation.source === 'supplement' || isListed(operation, '401')
  return isNamed ? [] : [requirementIdOf(operation, 'access-key', 'authentication.default')]
}

function withKey(call: EmulatorRequest, operation: Operation, { fixtures }: Emulator): EmulatorRequest {
  const key = schemesOf(operation).find(({ kind }) => kind === 'key')
  return key ? withHeader(call, key.header, fixtures.credentials.accessKey) : call
}

function refusesScope(operation: Operation, scope: string): ServerUnderTest {
  return mutant(
    `scope.${operation.name}.${toSlug(scope)}-refused`,
    `${operation.name} does not know the scope ${scope}.`,
    [requirementIdOf(operation, `scope-${toSlug(scope)}`)],
    alterOperation([operation.name], ({ scopes, ...rest }) => ({ ...rest, scopes: scopes.filter((s) => s !== scope) })),
  )
}

function acceptsAnyScope(operation: Operation): ServerUnderTest {
  return mutant(
    `scope.${operation.name}.any-accepted`,
    `${operation.name} ignores scopes.`,
    [requirementIdOf(operation, 'scope-missing')],
    alterOperation([operation.name], (stated) => ({ ...stated, scopes: [] })),
  )
}

function demandsAllScopes(operation: Operation): ServerUnderTest {
  return mutant(
    `scope.${operation.name}.all-demanded`,
    `${operation.name} requires all of its scopes at once.`,
    operation.scopes.map((scope) => requirementIdOf(operation, `scope-${toSlug(scope)}`)),
    alterCall([operation.name], (call, { emulator: { fixtures } }) => {
      const sent = call.headers.get('Authorization') ?? ''
      const single = Object.values(fixtures.credentials.byScope).some((token) => sent.endsWith(token))
      return single ? withHeader(call, 'Authorization', null) : call
    }),
  )
}

/** Whether a key has only some scopes. Such a key begins with the key that has all scopes (see the fixtures). */
function isScopedKey(key: string | null, { fixtures }: Emulator): boolean {
  return key?.startsWith(`${fixtures.credentials.accessKey}-`) ?? false
}

function refusesScopedKeys(operation: Operation): ServerUnderTest {
  return mutant(
    `scope.${operation.name}.scoped-keys-refused`,
    `${operation.name} takes no API key with a single scope.`,
    operation.scopes.map((scope) => requirementIdOf(operation, `scope-${toSlug(scope)}`)),
    alterCall([operation.name], (call, { emulator }) =>
      isScopedKey(call.headers.get('AccessKey'), emulator) ? withHeader(call, 'AccessKey', null) : call,
    ),
  )
}

function ignoresScopesOfKeys(operation: Operation): ServerUnderTest {
  return mutant(
    `scope.${operation.name}.of-keys-ignored`,
    `${operation.name} checks the scopes of bearer tokens, not those of API keys.`,
    [requirementIdOf(operation, 'scope-missing')],
    alterCall([operation.name], (call, { emulator }) =>
      isScopedKey(call.headers.get('AccessKey'), emulator) ? withKey(call, operation, emulator) : call,
    ),
  )
}
