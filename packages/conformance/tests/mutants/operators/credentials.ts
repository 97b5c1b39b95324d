import { contracts, isStated, type Operation, operations, type SecurityScheme } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest } from '@cdn/emulator'
import { kebabCase } from '@cdn/kit/letter-case'
import { alterCall, alterOperation, keepBody, withHeader } from '../alter-calls.ts'
import { type Behaviour, mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import { contractLists, requirementIdOf } from '../requirements.ts'

/** Whether a mutant treats the credentials of a call wrongly. */
type IsMeant = (call: EmulatorRequest, emulator: Emulator) => unknown

/** Ignores the credential in a header, if `isMeant` holds for the call. */
function refusing({ name }: Operation, header: string, isMeant: IsMeant): Behaviour {
  return alterCall([name], (call, { emulator }) => (isMeant(call, emulator) ? withHeader(call, header, null) : call))
}

/** Replaces the credentials by a valid key, if `isMeant` holds for the call. */
function accepting(operation: Operation, isMeant: IsMeant): Behaviour {
  return alterCall([operation.name], (call, { emulator }) =>
    isMeant(call, emulator) ? withKey(call, operation, emulator) : call,
  )
}

/** Refuses a call, but executes it if `isMeant` holds for it. */
function refusedAndDone(operation: Operation, isMeant: IsMeant): Behaviour {
  return onOperations([operation.name], (emulator) => async (received, stated, next) => {
    const call = keepBody(received)
    const response = await next(call, stated)
    if (isMeant(call, emulator)) await next(withKey(call, operation, emulator), stated)
    return response
  })
}

/** Returns the call with a valid key as its only credential. */
function withKey(call: EmulatorRequest, operation: Operation, { fixtures }: Emulator): EmulatorRequest {
  const schemes = schemesOf(operation)
  const key = schemes.find(({ kind }) => kind === 'key')
  const without = schemes.reduce((sent, { header }) => withHeader(sent, header, null), call)
  return key ? withHeader(without, key.header, fixtures.credentials.accessKey) : call
}

function schemesOf(operation: Operation): readonly SecurityScheme[] {
  return contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
}

/** Mutants that refuse a scheme: in all requests, or only in the first one. */
function ofScheme(operation: Operation, { name, kind, header }: SecurityScheme): ServerUnderTest[] {
  const sharedEnd = operation.interface === 'management' && kind === 'key' ? 'authentication.default' : undefined
  const breaks = [requirementIdOf(operation, kebabCase(name), sharedEnd)]
  const id = `scheme.${operation.name}.${kebabCase(name)}-refused`
  const atFirst: Behaviour = (emulator) => {
    let requests = 0
    return refusing(operation, header, (call) => call.headers.get(header) !== null && requests++ === 0)(emulator)
  }
  return [
    mutant(
      id,
      breaks,
      refusing(operation, header, () => true),
    ),
    mutant(`${id}-at-first`, breaks, onOperations([operation.name], atFirst)),
  ]
}

const isForged = (value: string, { fixtures: { credentials } }: Emulator) =>
  value.split('.')[1] === credentials.bearer.split('.')[1] && !value.endsWith(credentials.bearer)

/** The invalid values of each kind of scheme. */
const invalid: Readonly<Record<string, Readonly<Record<string, (value: string, emulator: Emulator) => boolean>>>> = {
  key: { 'wrong-key': (value, { state }) => !state.keys.has(value) },
  bearer: {
    'expired-token': (value, { fixtures }) => value.endsWith(fixtures.credentials.expired),
    'forged-token': (value, emulator) => isForged(value, emulator) && !value.endsWith('.'),
    'unsigned-token': (value, emulator) => isForged(value, emulator) && value.endsWith('.'),
    // A value with three parts has the form of a token, even if the token is wrong.
    'malformed-token': (value) => !/\.[\w-]{20,}\./.test(value),
  },
}

/** Mutants that accept a missing or an invalid credential, or refuse it but execute the operation. */
function insufficient(operation: Operation): ServerUnderTest[] {
  const schemes = schemesOf(operation)
  const effect = effectOf(operation)
  const make = (kind: string, refusal: readonly string[], isMeant: IsMeant) => {
    const id = `credential.${operation.name}.${kind}`
    return [
      mutant(`${id}-accepted`, [...refusal, ...effect], accepting(operation, isMeant)),
      ...(effect.length > 0
        ? [mutant(`${id}-refused-and-done`, [...refusal, ...effect], refusedAndDone(operation, isMeant))]
        : []),
    ]
  }
  const missing = [requirementIdOf(operation, '401-missing', 'authentication.missing')]
  return [
    ...make('none', missing, (call) => !schemes.some(({ header }) => call.headers.get(header))),
    ...schemes.flatMap(({ kind, header }) =>
      Object.entries(invalid[kind] ?? {}).flatMap(([name, isInvalid]) =>
        make(name, refusalOf(operation), (call, emulator) => {
          const sent = call.headers.get(header)
          return sent && isInvalid(sent, emulator)
        }),
      ),
    ),
  ]
}

/** Returns the requirement that a refused write has no effect. The list is empty if the operation is not a write. */
function effectOf(operation: Operation): string[] {
  if (operation.effect === 'read' || !isStated(operation)) return []
  return [requirementIdOf(operation, contractLists(operation, '401') ? '401' : 'access-key', 'authentication.default')]
}

/** Returns the requirements that say that only a valid credential is accepted. */
function refusalOf(operation: Operation): string[] {
  if (operation.interface === 'logging')
    return [requirementIdOf(operation, 'authentication.invalid', 'authentication.invalid')]
  // If the spec lists no 401, its requirement about the key has no status in its id.
  const isNamed = operation.source === 'supplement' || contractLists(operation, '401')
  const key = isNamed ? [] : [requirementIdOf(operation, 'access-key', 'authentication.default')]
  return [...key, requirementIdOf(operation, '401')]
}

const hasNoScope: IsMeant = ({ headers }, { fixtures }) =>
  headers.get('Authorization')?.endsWith(fixtures.credentials.noScope)
const hasOneScope: IsMeant = ({ headers }, { fixtures }) =>
  Object.values(fixtures.credentials.byScope).some((token) => headers.get('Authorization')?.endsWith(token))
/** In the fixtures, the key of a scope begins with the key that has all scopes. */
const isScopedKey: IsMeant = ({ headers }, { fixtures }) =>
  headers.get('AccessKey')?.startsWith(`${fixtures.credentials.accessKey}-`)

/** Mutants that do not know a scope, ignore scopes, or demand all at once, for tokens or for keys (§5, rule 2). */
function ofScopes(operation: Operation): ServerUnderTest[] {
  const { scopes } = operation
  const idOf = (scope: string) => requirementIdOf(operation, `scope-${kebabCase(scope)}`)
  const missing = [requirementIdOf(operation, 'scope-missing')]
  const make = (kind: string, breaks: readonly string[], behaviour: Behaviour) =>
    mutant(`scope.${operation.name}.${kind}`, breaks, behaviour)
  const withScopes = (isKept: (scope: string) => boolean) =>
    alterOperation([operation.name], (stated) => ({ ...stated, scopes: stated.scopes.filter(isKept) }))
  const isWrite = effectOf(operation).length > 0
  return [
    ...scopes.map((scope) =>
      make(
        `${kebabCase(scope)}-refused`,
        [idOf(scope)],
        withScopes((one) => one !== scope),
      ),
    ),
    make(
      'any-accepted',
      missing,
      withScopes(() => false),
    ),
    make('all-demanded', scopes.map(idOf), refusing(operation, 'Authorization', hasOneScope)),
    make('scoped-keys-refused', scopes.map(idOf), refusing(operation, 'AccessKey', isScopedKey)),
    make('of-keys-ignored', missing, accepting(operation, isScopedKey)),
    ...(isWrite ? [make('missing-refused-and-done', missing, refusedAndDone(operation, hasNoScope))] : []),
  ]
}

/** Mutants that refuse a sufficient scheme or scope, or accept an insufficient credential (§5). */
export const credentialMutants: readonly ServerUnderTest[] = operations.flatMap((operation) => [
  ...schemesOf(operation).flatMap((scheme) => ofScheme(operation, scheme)),
  ...insufficient(operation),
  ...(operation.scopes.length > 0 ? ofScopes(operation) : []),
])
