import type { IncomingMessage, ServerResponse } from 'node:http'
import { contracts } from '@cdn/api/contract'

const credentialHeaders = Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header))

/**
 * Allows web pages of any origin to read the response (Fetch standard, CORS). `*` is sufficient, because the page itself sets
 * the headers with credentials. The platform's behaviour is unspecified.
 *
 * @returns whether the request was a preflight; then the response has already been sent
 */
export function allowOrigins(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', 'Retry-After, Content-Disposition, Date')
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false
  const headers = {
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': [...new Set(credentialHeaders), 'Content-Type'].join(', '),
    'access-control-max-age': '600',
  }
  response.writeHead(204, headers).end()
  return true
}
