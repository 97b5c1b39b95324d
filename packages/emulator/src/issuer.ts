import { jwtVerify, SignJWT } from 'jose'

const issuerName = 'urn:cdn-emulator'
const algorithm = 'HS256'

/** Signs and checks bearer tokens. How the platform issues them is not shown (§5); scopes stand in the claim `scope`. */
export interface Issuer {
  /**
   * @param scopes what the token grants
   * @param expires when it ends
   * @returns the compact JWT
   */
  sign(scopes: readonly string[], expires: Date): Promise<string>
  /**
   * @param now time that the expiry is held against
   * @returns the scopes, or undefined where the signature, the issuer or the expiry is wrong
   */
  verify(token: string, now: Date): Promise<readonly string[] | undefined>
}

/** @param key at least 32 bytes, known to this issuer alone */
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
