import type { SecurityScheme } from '@cdn/api/contract'

/**
 * Writes a request as a line for a POSIX shell, with its credential as a variable.
 *
 * @param schemes of the interface: the headers of credentials, and the variables that hold them
 * @returns the line, without its line end
 */
export async function toCurl(request: Request, schemes: readonly SecurityScheme[]): Promise<string> {
  const parts = ['curl', '--request', request.method, shellQuote(request.url)]
  for (const [name, value] of request.headers) {
    const scheme = schemes.find(({ header }) => header.toLowerCase() === name)
    const credential = scheme && `${scheme.kind === 'bearer' ? 'Bearer ' : ''}$${scheme.variable}`
    parts.push('--header', scheme ? `"${scheme.header}: ${credential}"` : shellQuote(`${name}: ${value}`))
  }
  const body = new Uint8Array(await request.arrayBuffer())
  if (body.length === 0) return parts.join(' ')
  const text = toText(body)
  if (text !== undefined) return [...parts, '--data-raw', shellQuote(text)].join(' ')
  return `${[...parts, '--data-binary', '@-'].join(' ')}  # the ${body.length} bytes of the body on standard input`
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

/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
