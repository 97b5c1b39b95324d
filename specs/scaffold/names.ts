/** What an area is called in files, ids, code and paths. */
export interface AreaNames {
  /** As the document writes it, for example `DNS Zone`. */
  readonly area: string
  /** For files and ids: `dns-zone`. */
  readonly slug: string
  /** For code: `dnsZone`. */
  readonly camel: string
}

/**
 * Makes the names of an area.
 *
 * @param area its name in the document
 * @throws RangeError in one sentence when no name can be made of it
 */
export function namesOf(area: string): AreaNames {
  const slug = toKebab(area)
  if (!/^[a-z][a-z0-9-]*$/.test(slug) || /[^\w -]/.test(area))
    throw new RangeError(`\`${area}\` is no name of an area: letters, digits and spaces, such as "DNS Zone".`)
  return { area, slug, camel: slug.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) }
}

/**
 * Kebab-case of a name in any other case: `AuditLog`, `API Keys` and `repos/list_for-org` become `audit-log`, `api-keys` and
 * `repos-list-for-org`.
 */
export function toKebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
