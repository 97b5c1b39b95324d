import { contracts, type Operation, type SecurityScheme } from '@cdn/api/contract'
import type { EmulatorRequest } from '../exchange/messages.ts'
import type { EmulatorContext } from '../platform/handler.ts'

/** `missing`: no credential of an accepted kind was sent. `invalid`: unknown, expired or forged. `scope`: valid, but without a required scope. */
export type AuthenticationResult = 'accepted' | 'missing' | 'invalid' | 'scope'

/**
 * Checks the credentials of a request against the schemes and scopes that the contract states for the operation (§5). An empty
 * header, `Bearer` without a token, and a scheme that the operation does not list count as missing. Another scheme than Bearer in
 * Authorization counts as invalid. The variants `bearerOnKeyOperation`, `bareToken` and `bothCredentials` decide the open cases.
 */
export function authenticate(
  operation: Operation,
  call: EmulatorRequest,
  context: EmulatorContext,
): AuthenticationResult {
  if (operation.schemes.length === 0) return 'accepted'
  const results = new Map<SecurityScheme['kind'], AuthenticationResult>()
  for (const scheme of contracts[operation.interface].schemes) {
    const sent = call.headers.get(scheme.header)?.trim()
    if (!sent || sent.toLowerCase() === 'bearer' || !isAccepted(operation, scheme, context)) continue
    const scopes = scopesOf(scheme, sent, context)
    const hasScope = operation.scopes.length === 0 || operation.scopes.some((scope) => scopes?.includes(scope))
    results.set(scheme.kind, !scopes ? 'invalid' : hasScope ? 'accepted' : 'scope')
  }
  return combine(results, context)
}

/**
 * Returns the status of a refusal: 401 for missing credentials. For invalid credentials, it is 403 if the operation lists 403
 * with a code (§5, rule 6, §7), otherwise 401. For a missing scope, the variant `missingScope` decides.
 */
export function refusalStatus(
  operation: Operation,
  result: Exclude<AuthenticationResult, 'accepted'>,
  context: EmulatorContext,
): number {
  if (result === 'scope') return context.variants.missingScope
  const lists403 = operation.responses.some(({ status, errorCode }) => status === '403' && errorCode !== undefined)
  return result === 'invalid' && lists403 ? 403 : 401
}

function isAccepted(operation: Operation, scheme: SecurityScheme, { variants }: EmulatorContext): boolean {
  return (
    operation.schemes.includes(scheme.name) ||
    (scheme.kind === 'bearer' && variants.bearerOnKeyOperation === 'accepted')
  )
}

function scopesOf(scheme: SecurityScheme, sent: string, { state, issuer, clock, variants }: EmulatorContext) {
  if (scheme.kind === 'key') return state.keys.get(sent)?.scopes
  const [name, token] = sent.split(/ +/, 2)
  if (token === undefined && variants.bareToken === 'accepted') return issuer.verify(sent, clock.now())
  return name?.toLowerCase() === 'bearer' && token ? issuer.verify(token, clock.now()) : undefined
}

function combine(
  results: ReadonlyMap<SecurityScheme['kind'], AuthenticationResult>,
  { variants }: EmulatorContext,
): AuthenticationResult {
  const all = [...results.values()]
  const refused = all.find((result) => result !== 'accepted')
  switch (variants.bothCredentials) {
    case 'one valid is enough':
      return all.includes('accepted') ? 'accepted' : (refused ?? 'missing')
    case 'key decides':
      return results.get('key') ?? results.get('bearer') ?? 'missing'
    case 'both must be valid':
      return refused ?? all[0] ?? 'missing'
  }
}
