/** Requests and responses of a check as text, and as commands that repeat them. */
import { contracts } from '@cdn/api/contract'
import { curlWords } from '@cdn/kit/shell'
import type { ReportedExchange } from '../exchange/report-model.ts'

/** Formats an exchange as plain text, like `curl -v`: request lines start with `>`, response lines with `<`. */
export function exchangeText({ request, response, error }: ReportedExchange): string {
  const sent = message(`${request.method} ${request.url}`, request)
  const came = response
    ? message(String(response.status), response)
    : [`no response${error === undefined ? '' : `: ${error}`}`]
  return [...sent.map((line) => `> ${line}`), ...came.map((line) => `< ${line}`)].join('\n')
}

function message(start: string, { headers, body }: { headers: ReportedExchange['request']['headers']; body?: string }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [start, ...lines, ...(body ? ['', ...body.split('\n')] : [])]
}

/** Environment variables for the platform's credentials (§5), by lower-case header. */
const variables = Object.values(contracts)
  .flatMap(({ schemes }) => schemes)
  .map(
    ({ header, kind, variable }) =>
      [header.toLowerCase(), `${kind === 'bearer' ? 'Bearer ' : ''}$${variable}`] as const,
  )

/**
 * Creates a command line for a POSIX shell that repeats a request.
 *
 * If a header carries a credential (§5), an environment variable replaces its value, so that the value is never printed. A
 * body that the report truncated stays truncated.
 */
export function curlLine({ method, url, headers, body }: ReportedExchange['request']): string {
  const credentials = new Map<string, string>(variables)
  for (const [header, value] of Object.entries(headers)) {
    // Evidence names the variable of a credential of the run. Any other credential stays `[redacted]`.
    if (/^(Bearer )?\$[A-Z_]\w*$/.test(value)) credentials.set(header.toLowerCase(), value)
    if (value === '[redacted]') credentials.delete(header.toLowerCase())
  }
  const [program = '', ...words] = curlWords({ method, url, headers: Object.entries(headers), body }, credentials)
  return [program, '--include', ...words].join(' ')
}
