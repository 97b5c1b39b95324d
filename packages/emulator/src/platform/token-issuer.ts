import { createHmac } from 'node:crypto'

/** Signs and verifies bearer tokens. The platform's token format is unspecified (§5). Here, the claim `scope` lists the scopes. */
export interface Issuer {
  /**
   * @param scopes the granted scopes
   * @param expires the expiry
   * @returns the compact JWT (RFC 7519), signed with HS256
   */
  sign(scopes: readonly string[], expires: Date): string
  /**
   * @param now the time at which the token must not have expired
   * @returns the scopes, or undefined if the signature is invalid or the token has expired
   */
  verify(token: string, now: Date): readonly string[] | undefined
}

/**
 * The signature is made from strings only: test environments such as jsdom have a `Uint8Array` of their own, which JWT libraries
 * refuse as a key.
 *
 * @param secret at least 32 characters, known only to this issuer
 */
export function createIssuer(secret: string): Issuer {
  const signatureOf = (content: string) => createHmac('sha256', secret).update(content).digest('base64url')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = encode({ alg: 'HS256', typ: 'JWT' })
  return {
    sign(scopes, expires) {
      const claims = { scope: scopes.join(' '), iss: 'urn:cdn-emulator', exp: Math.floor(expires.getTime() / 1000) }
      const content = `${header}.${encode(claims)}`
      return `${content}.${signatureOf(content)}`
    },
    verify(token, now) {
      const [head, claims = ''] = token.split('.')
      const content = `${head}.${claims}`
      // Only tokens of this issuer have a valid signature, so the claims are those of `sign`.
      if (token !== `${content}.${signatureOf(content)}`) return undefined
      const { scope, exp }: { scope: string; exp: number } = JSON.parse(Buffer.from(claims, 'base64url').toString())
      return exp <= Math.floor(now.getTime() / 1000) ? undefined : scope.split(' ').filter(Boolean)
    },
  }
}
