import { markdownTable } from '@cdn/kit/markdown-table'
import { type VariantPoint, variantTable } from '../src/variants.ts'

const begin = '<!-- variants -->'
const end = '<!-- /variants -->'

/**
 * Inserts the table of variants into a page, between its markers.
 *
 * @param page Markdown with both markers once
 * @throws Error if a marker is missing
 */
export function withVariants(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`The page has no table between ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${toMarkdown()}\n\n${page.slice(to)}`
}

/** Generates the table of permitted variants with padded columns. The first value is the default. */
function toMarkdown(): string {
  const points: [string, VariantPoint][] = Object.entries(variantTable)
  const rows = points.map(([name, { text, values, reason, source, section }]) => {
    const [first, ...others] = values
    return [`\`${name}\``, text, `**${first}** · ${others.join(' · ')}`, reason, `${source}, ${section}`]
  })
  return markdownTable(['variant', 'behaviour', 'default · others', 'why this default', 'source'], rows)
}
