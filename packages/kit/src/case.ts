/** A name in kebab-case: `AllowedReferrers` is `allowed-referrers`, `API Keys` is `api-keys`, `list_for-org` is `list-for-org`. */
export function kebabCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replaceAll(/[^A-Za-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase()
}

/** A name in kebab-case as one in camelCase: `edge-storage` is `edgeStorage`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
