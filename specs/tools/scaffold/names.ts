/** Names of an area in files, ids, code and paths. */
export interface AreaNames {
  /** Spelling in the spec, for example `DNS Zone`. */
  readonly area: string
  /** For files and ids: `dns-zone`. */
  readonly slug: string
  /** For code: `dnsZone`. */
  readonly camel: string
}

/**
 * Derives the names of an area.
 *
 * @param area its name in the spec
 * @throws RangeError in one sentence if the name is invalid
 */
export function areaNames(area: string): AreaNames {
  const slug = toKebab(area)
  if (!/^[a-z][a-z0-9-]*$/.test(slug) || /[^\w -]/.test(area))
    throw new RangeError(
      `\`${area}\` is not a name of an area: expected letters, digits and spaces, such as "DNS Zone".`,
    )
  return { area, slug, camel: slug.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) }
}

/**
 * Converts a name to kebab-case: `AuditLog`, `API Keys` and `repos/list_for-org` become `audit-log`, `api-keys` and
 * `repos-list-for-org`.
 */
export function toKebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
