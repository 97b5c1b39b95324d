import { camelCase, kebabCase } from '@cdn/kit/case'

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
  const slug = kebabCase(area)
  if (!/^[a-z][a-z0-9-]*$/.test(slug) || /[^\w -]/.test(area))
    throw new RangeError(
      `\`${area}\` is not a name of an area: expected letters, digits and spaces, such as "DNS Zone".`,
    )
  return { area, slug, camel: camelCase(slug) }
}
