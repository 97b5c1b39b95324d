/** The variables that stand for a credential in a printed request. */
const standIns: Readonly<Record<string, string>> = {
  accesskey: '$CDN_ACCESS_KEY',
  authorization: 'Bearer $CDN_BEARER_TOKEN',
}

/**
 * Writes a request as a line for a POSIX shell, with the credential as a variable.
 *
 * @returns the line, without its end
 */
export async function toCurl(request: Request): Promise<string> {
  const parts = ['curl', '--request', request.method, quote(request.url)]
  for (const [name, value] of request.headers) {
    const standIn = standIns[name]
    const header = name === 'accesskey' ? 'AccessKey' : name
    parts.push('--header', standIn ? `"${header}: ${standIn}"` : quote(`${header}: ${value}`))
  }
  const body = new Uint8Array(await request.arrayBuffer())
  if (body.length === 0) return parts.join(' ')
  const text = toText(body)
  if (text !== undefined) return [...parts, '--data-raw', quote(text)].join(' ')
  return `${[...parts, '--data-binary', '@-'].join(' ')}  # the ${body.length} bytes of the body on standard input`
}

/** Bytes as text, where it is text that a shell's word can hold. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
