/** Credentials that must be refused, by the names of their cases. */
import type { CheckContext } from '../run/check.ts'
import { Skip } from '../run/failure.ts'

/** A credential of the fixtures, and what makes an invalid one of it. */
interface InvalidCredential {
  readonly kind: 'key' | 'bearer'
  readonly from?: 'accessKey' | 'expired' | 'bearer'
  readonly make: (valid: string) => string
}

/** An API key that no account has. */
const noKey = '00000000-0000-0000-0000-000000000000'

export const invalidCredential: Readonly<Record<string, InvalidCredential>> = {
  // Another last character: a server must compare all of them.
  'wrong-key': { kind: 'key', make: (key) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') },
  'malformed-token': { kind: 'bearer', make: () => 'not.a.token' },
  'expired-token': { kind: 'bearer', from: 'expired', make: (token) => token },
  'forged-token': { kind: 'bearer', from: 'bearer', make: withOtherSignature },
  'unsigned-token': { kind: 'bearer', from: 'bearer', make: withoutSignature },
}

export const invalidCredentials: readonly string[] = Object.keys(invalidCredential)

/** Returns the run's API key with another last character. */
export function wrongKey({ fixtures }: CheckContext): string {
  return invalidCredential['wrong-key']?.make(fixtures.credentials.accessKey ?? noKey) ?? noKey
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
