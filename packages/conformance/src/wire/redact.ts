import type { Credentials } from '../check.ts'

const hidden = '[redacted]'
const secretHeaders = ['accesskey', 'authorization', 'cookie', 'set-cookie', 'proxy-authorization']
/**
 * Log rows carry live credentials of visitors in this field (supplement). JSON may stand in a string of JSON, where each
 * quote has backslashes before it; a text that was cut has no closing quote.
 */
const secretField = /((\\*)"authorizationHeader\2"\s*:\s*\2")(?:(?!(?<!\\)\2").)*/gs
/** The last of the fifteen fields of an extended v1 line is the same credential. */
const secretIndex = 14

/** Takes secrets out of what a run writes. */
export interface Redactor {
  text(text: string): string
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>
}

/**
 * Makes a redactor that knows a run's credentials, wherever they turn up, and the places where others' stand.
 *
 * @param credentials the values of the run
 */
export function createRedactor(credentials: Credentials): Redactor {
  const { byScope, ...single } = credentials
  const secrets = [...Object.values(single), ...Object.values(byScope ?? {})]
    .filter((secret) => secret !== '')
    // The longest first, so that no rest of one stays behind another.
    .sort((a, b) => b.length - a.length)
  const text = (input: string) =>
    withoutLineCredentials(
      secrets.reduce((rest, secret) => rest.replaceAll(secret, hidden), input).replace(secretField, `$1${hidden}`),
    )
  return {
    text,
    headers: (headers) =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [name, secretHeaders.includes(name.toLowerCase()) ? hidden : text(value)]),
      ),
  }
}

/** Where a line break is written out, as in a string of JSON, another line follows it. */
function withoutLineCredentials(text: string): string {
  if (!text.includes('|')) return text
  return text
    .split(/(\n|\\n)/)
    .map((line) => {
      const fields = line.split('|')
      return fields.length > secretIndex ? fields.with(secretIndex, hidden).join('|') : line
    })
    .join('')
}
