/** Writes the table of variants: `node scripts/generate.ts`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { markdownTable } from '@cdn/kit/markdown-table'
import { type VariantPoint, variantTable } from '../src/variants/table.ts'

/** The page that contains the table of variants. */
export const page = join(import.meta.dirname, '../../../docs/emulator.md')

/**
 * Inserts the table of variants into a page, between its markers. The first value of a variant is its default.
 *
 * @param text Markdown with both markers once
 */
export function withVariants(text: string): string {
  const points: [string, VariantPoint][] = Object.entries(variantTable)
  const rows = points.map(([name, { text, values, reason, source }]) => {
    const [first, ...others] = values
    return [`\`${name}\``, text, `**${first}** · ${others.join(' · ')}`, reason, source]
  })
  const table = markdownTable(['variant', 'behaviour', 'default · others', 'why this default', 'source'], rows)
  const [before, rest = ''] = text.split('<!-- variants -->')
  const [, after] = rest.split('<!-- /variants -->')
  return `${before}<!-- variants -->\n\n${table}\n\n<!-- /variants -->${after}`
}

if (import.meta.main) await writeFile(page, withVariants(await readFile(page, 'utf8')))
