/** Converts a name to kebab-case, for example `AllowedReferrers` to `allowed-referrers`, and `API Keys` to `api-keys`. */
export function kebabCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replaceAll(/[^A-Za-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase()
}

/** Converts a name from kebab-case to camelCase: `edge-storage` becomes `edgeStorage`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
