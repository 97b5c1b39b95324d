/** Writes the lists of variants, faults and violations: `node scripts/generate.ts`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FaultKind, faultTable } from '../src/faults/fault-table.ts'
import { violationTable } from '../src/journal/violations.ts'
import { type VariantPoint, variantTable } from '../src/variants/table.ts'

export const page = join(import.meta.dirname, '../../../docs/emulator.md')

const variants = Object.entries<VariantPoint>(variantTable).map(([name, { text, values, source }]) => {
  const [first, ...others] = values
  const mark = source.startsWith('supplement') ? ' (supplement)' : ''
  return `- \`${name}\`: ${text}: **${first}**, ${others.join(', ')}${mark}`
})
const faults = Object.entries<FaultKind>(faultTable).map(([name, { text, parameters }]) => {
  const numbers = Object.entries(parameters).map(([key, { description, default: value }]) => {
    return ` \`${key}\`: ${description} (${value}).`
  })
  return `- \`${name}\`: ${text}${numbers.join('')}`
})
const violations = Object.entries(violationTable).map(([name, text]) => `- \`${name}\`: ${text}`)

const lists: Readonly<Record<string, readonly string[]>> = { variants, faults, violations }

/**
 * Inserts the lists into a page, each between its markers. The first value of a variant is its default.
 *
 * @param text Markdown with all markers once
 */
export function withLists(text: string): string {
  return Object.entries(lists).reduce((before, [name, lines]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    return `${before.split(start)[0]}${start}\n\n${lines.join('\n')}\n\n${end}${before.split(end)[1]}`
  }, text)
}

if (import.meta.main) await writeFile(page, withLists(await readFile(page, 'utf8')))
