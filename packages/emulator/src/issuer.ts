import { jwtVerify, SignJWT } from 'jose'

const issuerName = 'urn:cdn-emulator'
const algorithm = 'HS256'

/** Signs and verifies bearer tokens. The platform's token format is unspecified (§5). Here, the claim `scope` lists the scopes. */
export interface Issuer {
  /**
   * @param scopes the granted scopes
   * @param expires the expiry
   * @returns the compact JWT
   */
  sign(scopes: readonly string[], expires: Date): Promise<string>
  /**
   * @param now the time at which the token must not have expired
   * @returns the scopes, or undefined if the signature, the issuer or the expiry is invalid
   */
  verify(token: string, now: Date): Promise<readonly string[] | undefined>
}

/** @param key at least 32 bytes, known only to this issuer */
export function createIssuer(key: Uint8Array): Issuer {
  return {
    sign: (scopes, expires) =>
      new SignJWT({ scope: scopes.join(' ') })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuerName)
        .setExpirationTime(expires)
        .sign(key),
    async verify(token, now) {
      try {
        const options = { issuer: issuerName, algorithms: [algorithm], requiredClaims: ['exp'], currentDate: now }
        const { payload } = await jwtVerify(token, key, options)
        const scope = payload['scope']
        return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
      } catch {
        return undefined
      }
    },
  }
}
