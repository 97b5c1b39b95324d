import { keep, type Redact } from '../redact.ts'

/** No header is documented; these are common for platforms of this kind. */
const headers = ['cdn-requestid', 'x-request-id', 'request-id']

/** @returns the request id for the platform's support; undefined if the response has none */
export function requestIdOf(response: Response, redact: Redact): string | undefined {
  const id = headers.map((name) => response.headers.get(name)).find(Boolean)
  return id ? keep(id, redact) : undefined
}
