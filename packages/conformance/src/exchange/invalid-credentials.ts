/** Credentials that must be refused, by the names of their cases. */
import { contracts, type Operation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import type { CheckContext } from './check.ts'
import { Skip } from './failure.ts'
import { parseOrUndefined } from './response.ts'

/**
 * Invalid credentials of one kind. For a key, `make` gets the API key of the run. For a token, it gets the fixture `from`, or an empty text
 * if `from` is omitted.
 */
interface InvalidCredential {
  readonly kind: 'key' | 'bearer'
  readonly from?: 'accessKey' | 'expired' | 'bearer'
  readonly make: (valid: string) => readonly string[]
  /** Whether a wrong key is sent, too: two invalid credentials do not make a valid one. */
  readonly withKey?: true
}

/** An API key that no account has. */
const noKey = '00000000-0000-0000-0000-000000000000'

export const invalidCredential: Readonly<Record<string, InvalidCredential>> = {
  'wrong-key': { kind: 'key', make: nearKeys },
  'malformed-token': { kind: 'bearer', make: () => ['not.a.token'] },
  'expired-token': { kind: 'bearer', from: 'expired', make: (token) => [token] },
  'forged-token': { kind: 'bearer', from: 'bearer', make: nearTokens },
  'unsigned-token': { kind: 'bearer', from: 'bearer', make: withoutSignature },
  'two-invalid': { kind: 'bearer', make: () => ['not.a.token'], withKey: true },
}

/**
 * Returns one wrong key for an operation. The seed of the run and the operation decide its form: one run sends several forms to the
 * operations of an interface, and another run gives each operation another form.
 */
export function wrongKey(
  { fixtures, seed }: Pick<CheckContext, 'fixtures' | 'seed'>,
  { interface: of, name }: Operation,
): string {
  const keys = nearKeys(fixtures.credentials.accessKey ?? noKey)
  const place = contracts[of].operations.findIndex((one) => one.name === name)
  return keys[(seed + place) % keys.length] ?? noKey
}

/**
 * Returns keys that differ from a valid one in one character, in length, or in letter case. A server accepts one of
 * them if it does not compare the whole key exactly.
 */
function nearKeys(key: string): string[] {
  const middle = key.length >> 1
  const other = (at: number) => key.slice(0, at) + (key[at] === '0' ? '1' : '0') + key.slice(at + 1)
  const swapped = key === key.toUpperCase() ? key.toLowerCase() : key.toUpperCase()
  const all = [other(key.length - 1), other(middle), other(0), key.slice(0, -1), `${key}0`, swapped]
  return [...new Set(all)].filter((near) => near !== key)
}

/** Returns variants of a valid JWT (§5) whose signature is wrong: changed, cut, repeated, or made for other claims. */
function nearTokens(token: string): string[] {
  const [header, claims, signature] = partsOf(token)
  // The first character of the signature is changed, because the last one may hold bits that do not belong to the signature.
  const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
  const stated = parseOrUndefined(Buffer.from(claims, 'base64url').toString())
  const named = JSON.stringify({ ...toRecord(stated), sub: 'conformance' })
  return [
    [header, claims, other(signature)],
    ...[signature.length >> 1, -1, -3].map((end) => [header, claims, signature.slice(0, end)]),
    [header, Buffer.from(named).toString('base64url'), signature],
    [header, claims, signature, signature],
  ].map((parts) => parts.join('.'))
}

/** Returns the claims of a valid JWT (§5) without a signature: with the algorithm `none` in the header, and with the original header. */
function withoutSignature(token: string): string[] {
  const [header, claims] = partsOf(token)
  return [`${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`, `${header}.${claims}.`]
}

function partsOf(token: string): [header: string, claims: string, signature: string] {
  const [header, claims, signature, ...more] = token.split('.')
  if (!header || !claims || !signature || more.length > 0) throw new Skip('credentials.bearer is not a signed JWT')
  return [header, claims, signature]
}
