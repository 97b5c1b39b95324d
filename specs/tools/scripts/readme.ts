/** Writes the table of requirements into README.md: `node tools/scripts/readme.ts`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { markdownTable } from '@cdn/kit/markdown-table'
import { toRecord } from '@cdn/kit/record'
import { bundleContract, specInterfaces, specsFolder } from '../bundle.ts'
import { listOf } from '../import/json.ts'

const begin = '<!-- requirements: written by tools/scripts/readme.ts -->'
const end = '<!-- end of requirements -->'

/**
 * Writes a table of the requirement ids of the layers `document`, by section, into a text.
 *
 * @param readme the text, with both markers once
 * @returns the text with a new table between the markers
 * @throws Error if a marker is missing
 */
export async function withRequirements(readme: string): Promise<string> {
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from === -1 || to < from) throw new Error(`README.md has no table between ${begin} and ${end}`)
  return `${readme.slice(0, from + begin.length)}\n\n${await requirementsTable()}\n\n${readme.slice(to)}`
}

/** Creates the table, with one row per section and topic. The columns are padded as the formatter does it. */
async function requirementsTable(): Promise<string> {
  const documents = await Promise.all(
    specInterfaces.map(async (name) => requirementsIn(await bundleContract(name, 'document'))),
  )
  const rows = new Map<string, string[]>()
  for (const { id, section } of documents.flat()) {
    const slugFrom = id.lastIndexOf('.') + 1
    const row = `${section} ${id.slice(0, slugFrom - 1)}`
    rows.set(row, [...(rows.get(row) ?? []), `\`${id.slice(slugFrom)}\``])
  }
  const sorted = [...rows].sort(([a], [b]) => sectionOf(a).localeCompare(sectionOf(b), 'en', { numeric: true }))
  return markdownTable(
    ['§', 'topic', 'requirements'],
    sorted.map(([row, slugs]) => [...row.split(' '), slugs.join(' ')]),
  )
}

/** Returns all requirements of a document, in order. */
function requirementsIn(node: unknown): { id: string; section: string }[] {
  return Object.entries(Array.isArray(node) ? node : toRecord(node)).flatMap(([key, member]) =>
    key === 'x-requirements'
      ? listOf(member).map((one) => ({ id: String(toRecord(one)['id']), section: String(toRecord(one)['section']) }))
      : requirementsIn(member),
  )
}

/** Returns the section of a row as text. As a number, 4.10 would come before 4.9. */
function sectionOf(row: string): string {
  return defined(row.split(' ')[0])
}

if (import.meta.main) {
  const path = join(specsFolder, 'README.md')
  await writeFile(path, await withRequirements(await readFile(path, 'utf8')))
}
