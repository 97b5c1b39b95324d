import { keep, type Redact } from '../redact.ts'

/** The contract documents no header for the request id. These names are common on similar platforms. */
const headers = ['cdn-requestid', 'x-request-id', 'request-id']

/** @returns the request id for the platform's support; undefined if the response has none */
export function requestIdOf(response: Response, redact: Redact): string | undefined {
  const id = headers.map((name) => response.headers.get(name)).find(Boolean)
  return id ? keep(id, redact) : undefined
}
