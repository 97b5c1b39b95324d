/**
 * Converts a name to kebab-case, for example `AllowedReferrers` to `allowed-referrers`, and `API Keys` to `api-keys`. Abbreviations
 * such as `DDoS`, `IPs` and `IoT` stay one word.
 */
export function kebabCase(name: string): string {
  return (
    name
      // Inserts a hyphen after a small letter or a digit (not in DDoS), and before the last of several capitals (not in IPs).
      .replaceAll(/(?<=[a-z\d])(?<![A-Z][a-z](?=[A-Z](?:\b|[A-Z][a-z])))(?=[A-Z])/g, '-')
      .replaceAll(/(?<=[A-Z]{2}|[a-z]-?[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))/g, '-')
      .replaceAll(/[^A-Za-z\d]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .toLowerCase()
  )
}

/** Converts a name from kebab-case to camelCase: `edge-storage` becomes `edgeStorage`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
