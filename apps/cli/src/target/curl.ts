import type { SecurityScheme } from '@cdn/api/contract'
import { curlWords } from '@cdn/kit/shell'

/**
 * Writes a request as a line for a POSIX shell, with its credential as a variable.
 *
 * @param schemes of the interface: the headers of credentials, and the variables that hold them
 * @returns the line, without its line end
 */
export async function toCurl(request: Request, schemes: readonly SecurityScheme[]): Promise<string> {
  const { method, url } = request
  const credentials = new Map(
    schemes.map(({ header, kind, variable }) => [
      header.toLowerCase(),
      `${kind === 'bearer' ? 'Bearer ' : ''}$${variable}`,
    ]),
  )
  // The names as the contract writes them; a Request has them in lower case.
  const written = new Map(schemes.map(({ header }) => [header.toLowerCase(), header]))
  const headers = [...request.headers].map(([name, value]) => [written.get(name) ?? name, value] as const)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = toText(bytes)
  const line = curlWords({ method, url, headers, body }, credentials).join(' ')
  return body === undefined
    ? `${line} --data-binary @-  # the ${bytes.length} bytes of the body on standard input`
    : line
}

/** Bytes as text, if it is text that fits into a word of a shell. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
