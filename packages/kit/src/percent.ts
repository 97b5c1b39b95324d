/** Decodes percent-encoding. Returns undefined if it is invalid, as in `%zz`. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
