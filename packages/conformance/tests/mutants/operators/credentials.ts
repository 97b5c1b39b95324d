import { contracts, isStated, type Operation, operations, type SecurityScheme } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest } from '@cdn/emulator'
import { kebabCase } from '@cdn/kit/case'
import { alterCall, alterOperation, keepBody, withHeader } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { isListed, requirementIdOf } from '../requirements.ts'

/** Mutants that refuse a sufficient scheme or scope, or accept an insufficient credential (§5). */
export const credentialMutants: readonly ServerUnderTest[] = operations.flatMap((operation) => [
  ...schemesOf(operation).flatMap((scheme) => ofScheme(operation, scheme)),
  ...insufficient(operation),
  ...(operation.scopes.length > 0 ? ofScopes(operation) : []),
])

function schemesOf(operation: Operation): readonly SecurityScheme[] {
  return contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
}

/** The scheme is ignored, or only in the first request. */
function ofScheme(operation: Operation, { name, kind, header }: SecurityScheme): ServerUnderTest[] {
  const topic = operation.interface === 'management' && kind === 'key' ? 'authentication.default' : undefined
  const breaks = [requirementIdOf(operation, kebabCase(name), topic)]
  const id = `scheme.${operation.name}.${kebabCase(name)}-refused`
  const atFirst: Behaviour = () => {
    let requests = 0
    return (call, stated, next) => {
      const isRefused = call.headers.get(header) !== null && requests++ === 0
      return next(isRefused ? withHeader(call, header, null) : call, stated)
    }
  }
  return [
    mutant(
      id,
      breaks,
      alterCall([operation.name], (call) => withHeader(call, header, null)),
    ),
    mutant(`${id}-at-first`, breaks, on([operation.name], atFirst)),
  ]
}

interface Insufficient {
  readonly kind: string
  /** The header of the credential; undefined without a credential. */
  readonly header?: string
  isSent(value: string, emulator: Emulator): boolean
}

function insufficientFor({ kind, header }: SecurityScheme): readonly Insufficient[] {
  if (kind === 'key') return [{ header, kind: 'wrong-key', isSent: (value, { state }) => !state.keys.has(value) }]
  const isForged = (value: string, good: string) => value.split('.')[1] === good.split('.')[1] && !value.endsWith(good)
  return [
    { header, kind: 'expired-token', isSent: (value, { fixtures }) => value.endsWith(fixtures.credentials.expired) },
    {
      header,
      kind: 'forged-token',
      isSent: (value, { fixtures }) => isForged(value, fixtures.credentials.bearer) && !value.endsWith('.'),
    },
    {
      header,
      kind: 'unsigned-token',
      isSent: (value, { fixtures }) => isForged(value, fixtures.credentials.bearer) && value.endsWith('.'),
    },
    // A value with three parts has the form of a token, even if the token is wrong.
    { header, kind: 'malformed-token', isSent: (value) => !/\.[\w-]{20,}\./.test(value) },
  ]
}

/** No credential, or an invalid one, is accepted; or it is refused, and the operation is done. */
function insufficient(operation: Operation): ServerUnderTest[] {
  const { name } = operation
  const none: Insufficient = { kind: 'none', isSent: () => true }
  return [none, ...schemesOf(operation).flatMap(insufficientFor)].flatMap((one) => {
    const effect = effectOf(operation)
    const missing = requirementIdOf(operation, '401-missing', 'authentication.missing')
    const breaks = one.header === undefined ? [missing, ...effect] : [...effect, ...refusalOf(operation)]
    const isMeant = (call: EmulatorRequest, emulator: Emulator) => {
      const sent = one.header && call.headers.get(one.header)
      const hasAny = schemesOf(operation).some(({ header }) => call.headers.get(header))
      return one.header === undefined ? !hasAny : sent && one.isSent(sent, emulator)
    }
    const accepting = alterCall([name], (call, { emulator }) =>
      isMeant(call, emulator) ? withKey(call, operation, emulator) : call,
    )
    return [
      mutant(`credential.${name}.${one.kind}-accepted`, breaks, accepting),
      ...(effect.length > 0
        ? [mutant(`credential.${name}.${one.kind}-refused-and-done`, effect, refusedAndDone(operation, isMeant))]
        : []),
    ]
  })
}

function refusedAndDone(
  operation: Operation,
  isMeant: (call: EmulatorRequest, emulator: Emulator) => unknown,
): Behaviour {
  return on([operation.name], (emulator) => async (received, stated, next) => {
    const call = keepBody(received)
    const response = await next(call, stated)
    if (isMeant(call, emulator)) await next(withKey(call, operation, emulator), stated)
    return response
  })
}

/** Returns the requirement that a refused write has no effect. The list is empty if the operation is not a write. */
function effectOf(operation: Operation): string[] {
  if (operation.effect === 'read' || !isStated(operation)) return []
  return [requirementIdOf(operation, isListed(operation, '401') ? '401' : 'access-key', 'authentication.default')]
}

/** The requirements that only a valid credential is accepted. */
function refusalOf(operation: Operation): string[] {
  if (operation.interface === 'logging')
    return [requirementIdOf(operation, 'authentication.invalid', 'authentication.invalid')]
  // The spec may state this requirement without a status.
  const isNamed = operation.source === 'supplement' || isListed(operation, '401')
  const key = isNamed ? [] : [requirementIdOf(operation, 'access-key', 'authentication.default')]
  return [...key, requirementIdOf(operation, '401')]
}

/** The call with a valid key as its only credential. */
function withKey(call: EmulatorRequest, operation: Operation, { fixtures }: Emulator): EmulatorRequest {
  const schemes = schemesOf(operation)
  const key = schemes.find(({ kind }) => kind === 'key')
  const without = schemes.reduce((sent, { header }) => withHeader(sent, header, null), call)
  return key ? withHeader(without, key.header, fixtures.credentials.accessKey) : call
}

/** Scopes are unknown, ignored, or demanded all at once, for tokens or for keys (§5, rule 2). */
function ofScopes(operation: Operation): ServerUnderTest[] {
  const { name, scopes } = operation
  const idOf = (scope: string) => requirementIdOf(operation, `scope-${kebabCase(scope)}`)
  const missing = [requirementIdOf(operation, 'scope-missing')]
  const isNoScope = (call: EmulatorRequest, { fixtures }: Emulator) =>
    call.headers.get('Authorization')?.endsWith(fixtures.credentials.noScope)
  const isSingle = ({ headers }: EmulatorRequest, { fixtures }: Emulator) =>
    Object.values(fixtures.credentials.byScope).some((token) => headers.get('Authorization')?.endsWith(token))
  // Such a key begins with the key that has all scopes (see the fixtures).
  const isScopedKey = ({ headers }: EmulatorRequest, { fixtures }: Emulator) =>
    headers.get('AccessKey')?.startsWith(`${fixtures.credentials.accessKey}-`)
  const altered = (change: (call: EmulatorRequest, emulator: Emulator) => EmulatorRequest) =>
    alterCall([name], (call, { emulator }) => change(call, emulator))
  return [
    ...scopes.map((scope) =>
      mutant(
        `scope.${name}.${kebabCase(scope)}-refused`,
        [idOf(scope)],
        alterOperation([name], (stated) => ({ ...stated, scopes: stated.scopes.filter((other) => other !== scope) })),
      ),
    ),
    mutant(
      `scope.${name}.any-accepted`,
      missing,
      alterOperation([name], (stated) => ({ ...stated, scopes: [] })),
    ),
    mutant(
      `scope.${name}.all-demanded`,
      scopes.map(idOf),
      altered((call, emulator) => (isSingle(call, emulator) ? withHeader(call, 'Authorization', null) : call)),
    ),
    mutant(
      `scope.${name}.scoped-keys-refused`,
      scopes.map(idOf),
      altered((call, emulator) => (isScopedKey(call, emulator) ? withHeader(call, 'AccessKey', null) : call)),
    ),
    mutant(
      `scope.${name}.of-keys-ignored`,
      missing,
      altered((call, emulator) => (isScopedKey(call, emulator) ? withKey(call, operation, emulator) : call)),
    ),
    ...(effectOf(operation).length > 0
      ? [mutant(`scope.${name}.missing-refused-and-done`, missing, refusedAndDone(operation, isNoScope))]
      : []),
  ]
}
