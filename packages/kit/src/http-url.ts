/** Addresses in options, configurations and profiles. */

/** Returns an http or https URL; undefined for any other text. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined // Node 20 has no `URL.parse`
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** Returns an http or https URL without user, password, query and fragment, any of which may be secret; undefined for any other text. */
export function plainUrl(text: string): URL | undefined {
  const url = httpUrl(text)
  return url && !(url.username || url.password || url.search || url.hash) ? url : undefined
}
