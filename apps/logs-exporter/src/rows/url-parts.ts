const parts = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)(.*)$/is

/** What version 1 shows as one address, as version 2 has it in three fields; null where the text is no such address. */
export interface UrlParts {
  readonly scheme: string | null
  readonly host: string | null
  /** With the query string. */
  readonly path: string | null
}

/** Splits the address that was asked for. */
export function splitUrl(url: string): UrlParts {
  const [, scheme = null, host = null, path = null] = parts.exec(url) ?? []
  return { scheme, host, path }
}
