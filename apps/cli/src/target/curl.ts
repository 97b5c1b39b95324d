import type { SecurityScheme } from '@cdn/api/contract'
import { curlWords } from '@cdn/kit/shell'

/**
 * Writes a request as a curl command for a POSIX shell. The credential is written as a variable.
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
  // Header names as the contract spells them; a Request has them in lower case.
  const written = new Map(schemes.map(({ header }) => [header.toLowerCase(), header]))
  const headers = [...request.headers].map(([name, value]) => [written.get(name) ?? name, value] as const)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = toText(bytes)
  const line = curlWords({ method, url, headers, body }, credentials).join(' ')
  return body === undefined
    ? `${line} --data-binary @-  # the ${bytes.length} bytes of the body on standard input`
    : line
}

/** Decodes bytes; undefined if they are not text that a shell word can hold. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
