/** Names of credentials in URLs and in fields that the contract does not know. */

import { decodePercent } from '@cdn/kit/percent'

const words =
  'token|secret|signature|password|passwd|pwd|auth|authorization|credentials?|session|sessionid|jwt|hmac|sig|sid|cookies?|apikey|accesskey|authkey|privatekey|secretkey'
const field = new RegExp(`(?:${words})(?:headers?|values?)?$`)
const parameter = new RegExp(`(?:${words}|key)$`)
/** Names of parameters that must match as a whole, from OAuth and from signed URLs of storage services and networks. */
const whole = new Set(['code', 'policy', 'verify', 'md5'])

/** The letters and digits of a name, in lower case: `__Access-Token[]` is `accesstoken`. */
function plainName(name: string): string {
  const text = name.includes('%') ? (decodePercent(name) ?? name) : name
  return text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
}

/** Whether a field is named like a credential. Case, punctuation and percent-encoding of the name do not matter. */
export function isSecretField(name: string): boolean {
  return field.test(plainName(name))
}

const hidden = '***'
// Matches a name and its value in a query string, a fragment, or a path such as `/bcdn_token=...&expires=.../file`.
const inUrl = /([?&;#/]|^)([^=?&;#/]+)=[^?&;#/]*/g
const inText = /([?&;#/"\s]|^)([^=?&;#/"\s]+)=[^?&;#/"\s]*/g
// The name and password of `https://name:password@host/`.
const userInfo = /\/\/[^/?#"\s]*@/g

/**
 * Creates functions that mask the values of parameters whose name is that of a credential (`token`, `api_key`, `X-Amz-Signature`,
 * ...), and a name with a password before a host.
 *
 * @param names more names of such parameters
 */
export function createTokenMask(names: readonly string[]) {
  const own = new Set(names.map(plainName))
  function mask(text: string, pattern: RegExp): string {
    const masked = text.includes('@') ? text.replace(userInfo, `//${hidden}@`) : text
    if (!masked.includes('=')) return masked
    return masked.replace(pattern, (match, before: string, name: string) => {
      const plain = plainName(name)
      const isSecret = parameter.test(plain) || whole.has(plain) || own.has(plain)
      return isSecret ? `${before}${name}=${hidden}` : match
    })
  }
  return {
    inUrl: (text: string): string => mask(text, inUrl),
    inText: (text: string): string => mask(text, inText),
  }
}
