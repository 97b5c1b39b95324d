const parts = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)(.*)$/is

/** The URL of a version 1 row, split into the three fields of version 2. All are null if the text is not an absolute URL. */
export interface UrlParts {
  readonly scheme: string | null
  readonly host: string | null
  /** Including the query string. */
  readonly path: string | null
}

/** Splits the URL of a request. */
export function splitUrl(url: string): UrlParts {
  const [, scheme = null, host = null, path = null] = parts.exec(url) ?? []
  return { scheme, host, path }
}
