import { contracts, type SecurityScheme } from '@cdn/api/contract'
import { curlWords } from '@cdn/kit/shell'
import { interfaceIn } from '../checks/resources.ts'
import type { CheckResult, Exchange } from './model.ts'

/** Environment variables of the toolkit that replace credentials in a command. */
const variables: Readonly<Record<SecurityScheme['kind'], string>> = {
  key: '$CDN_ACCESS_KEY',
  bearer: 'Bearer $CDN_BEARER_TOKEN',
}

/** Returns the headers that carry a credential (§5), in lower case, with the text that replaces their value. */
function credentialsOf(name: string | undefined): ReadonlyMap<string, string> {
  const imported = Object.values(contracts).find((one) => one.interface === name && one.source === 'supplement')
  const importedHeaders = (imported?.schemes ?? []).map(
    ({ header, kind, variable }) => [header, `${kind === 'bearer' ? 'Bearer ' : ''}$${variable}`] as const,
  )
  const { schemes } = contracts.management
  const all = [
    ...[...schemes, ...contracts.logging.schemes].map(({ header, kind }) => [header, variables[kind]] as const),
    ...importedHeaders,
  ]
  return new Map(all.map(([header, value]) => [header.toLowerCase(), value]))
}

/**
 * Creates a command line for a POSIX shell that repeats a request.
 *
 * If a header carries a credential, an environment variable replaces its value, so that the value is never printed. A
 * body that the report truncated stays truncated.
 *
 * @param name name of the interface; an imported interface has its own credentials
 */
export function curlLine({ method, url, headers, body }: Exchange['request'], name?: string): string {
  const credentials = new Map(credentialsOf(name))
  for (const [header, value] of Object.entries(headers)) {
    // The evidence already names the variable. A credential that is none of the run's is any wrong one.
    if (/^(Bearer )?\$[A-Z_]\w*$/.test(value)) credentials.set(header.toLowerCase(), value)
    if (value === '[redacted]') credentials.delete(header.toLowerCase())
  }
  const [program = '', ...words] = curlWords({ method, url, headers: Object.entries(headers), body }, credentials)
  return [program, '--include', ...words].join(' ')
}

/** Returns the command line that repeats the last request of a failed check. */
export function curlOf({ id, evidence }: Pick<CheckResult, 'id' | 'evidence'>): string | undefined {
  const last = evidence?.exchanges.at(-1)
  return last && curlLine(last.request, interfaceIn(id))
}
