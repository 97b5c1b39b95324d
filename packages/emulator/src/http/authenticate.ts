import { contracts, type Operation, type SecurityScheme } from '@cdn/api/contract'
import type { Platform } from '../platform.ts'
import type { Call } from './call.ts'

/** `missing`: none was sent. `invalid`: unknown, expired or forged. `scope`: valid, without any of the scopes. */
export type Verdict = 'accepted' | 'missing' | 'invalid' | 'scope'

/**
 * Judges the credentials of a call by the schemes and scopes that the contract gives the operation (§5). An empty header
 * counts as none; an Authorization header of another scheme counts as invalid.
 */
export async function authenticate(operation: Operation, call: Call, platform: Platform): Promise<Verdict> {
  if (operation.schemes.length === 0) return 'accepted'
  const verdicts = new Map<SecurityScheme['kind'], Verdict>()
  for (const scheme of contracts[operation.interface].schemes) {
    const sent = call.headers.get(scheme.header)?.trim()
    if (!sent || sent.toLowerCase() === 'bearer' || !isAccepted(operation, scheme, platform)) continue
    const scopes = await scopesOf(scheme, sent, platform)
    verdicts.set(scheme.kind, scopes ? holdAgainst(operation, scopes) : 'invalid')
  }
  return combine(verdicts, platform)
}

/**
 * Status of a refusal: 401 for missing credentials; for invalid ones 403 where the operation lists it (§5, rule 6).
 */
export function refusalStatus(operation: Operation, verdict: Exclude<Verdict, 'accepted'>, platform: Platform): number {
  if (verdict === 'scope') return platform.variants.missingScope
  const lists403 = operation.responses.some((response) => response.status === '403')
  return verdict === 'invalid' && lists403 ? 403 : 401
}

function isAccepted(operation: Operation, scheme: SecurityScheme, { variants }: Platform): boolean {
  return (
    operation.schemes.includes(scheme.name) ||
    (scheme.kind === 'bearer' && variants.bearerOnKeyOperation === 'accepted')
  )
}

async function scopesOf(scheme: SecurityScheme, sent: string, { state, issuer, clock }: Platform) {
  if (scheme.kind === 'key') return state.keys.get(sent)?.scopes
  const [name, token] = sent.split(/ +/, 2)
  return name?.toLowerCase() === 'bearer' && token ? issuer.verify(token, clock.now()) : undefined
}

function holdAgainst(operation: Operation, scopes: readonly string[]): Verdict {
  return operation.scopes.length === 0 || operation.scopes.some((scope) => scopes.includes(scope))
    ? 'accepted'
    : 'scope'
}

function combine(verdicts: ReadonlyMap<SecurityScheme['kind'], Verdict>, { variants }: Platform): Verdict {
  const all = [...verdicts.values()]
  const refused = all.find((verdict) => verdict !== 'accepted')
  switch (variants.bothCredentials) {
    case 'one valid is enough':
      return all.includes('accepted') ? 'accepted' : (refused ?? 'missing')
    case 'key decides':
      return verdicts.get('key') ?? verdicts.get('bearer') ?? 'missing'
    case 'both must be valid':
      return refused ?? all[0] ?? 'missing'
  }
}
