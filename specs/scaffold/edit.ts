/** Edits of files that are written by hand: a line goes in or out, and everything else stays as it is. */
import type { AreaNames } from './names.ts'

/**
 * Puts a line before the first one that matches, after a place.
 *
 * @param after where the search begins
 * @param before the line that it goes in front of
 * @throws Error when one of them is not there: the file is not what it was when this was written
 */
function insert(text: string, after: string, before: RegExp, line: string): string {
  const start = text.indexOf(after)
  const found = start === -1 ? null : before.exec(text.slice(start + after.length))
  if (!found) throw new Error(`Found no place for \`${line.trim()}\`: nothing is like ${before} after \`${after}\`.`)
  const at = start + after.length + found.index
  return text.slice(0, at) + line + text.slice(at)
}

/**
 * The areas that `openapi.yaml` declares, in its order.
 *
 * @param yaml the file
 * @returns each name, and whether its operations are said to be not shown
 */
export function declaredAreas(yaml: string): { readonly area: string; readonly notShown: boolean }[] {
  const [, tags = ''] = /^tags:\n((?: .*\n)*)/m.exec(yaml) ?? []
  return [...tags.matchAll(/^ {2}- name: (.+)\n((?: {4}.*\n)*)/gm)].map(([, area = '', rest = '']) => ({
    area,
    notShown: rest.includes('x-not-shown:'),
  }))
}

/** Declares an area in `openapi.yaml`, or takes away that its operations are not shown. */
export function declareArea(yaml: string, { area }: AreaNames): string {
  const declared = declaredAreas(yaml).some((candidate) => candidate.area === area)
  if (!declared) return insert(yaml, '\ntags:\n', /^(?! )/m, `  - name: ${area}\n`)
  return yaml.replace(new RegExp(`(^ {2}- name: ${area}\\n) {4}x-not-shown:\\n(?: {6}.*\\n)*`, 'm'), '$1')
}

/** Links a path of an area file in `openapi.yaml`. */
export function linkPath(yaml: string, path: string, reference: string): string {
  return insert(yaml, '\npaths:\n', /^(?= *\n)|^(?! )/m, `  ${path}:\n    $ref: ${reference}\n`)
}

/** Takes the point that an area's operations are not shown out of the table of facts (`facts/requirements.ts`). */
export function showFacts(source: string, { slug }: AreaNames): string {
  return source.replace(new RegExp(`^ {2}.+: '${slug}',\\n`, 'm'), '')
}

/** Names an area in the table of facts (`facts/operations.ts`), where the document did not name it before. */
export function nameFact(source: string, { area }: AreaNames): string {
  return source.includes(`\n  '${area}',\n`) ? source : insert(source, '\nconst areas = [\n', /^\]/m, `  '${area}',\n`)
}

/** Puts the rows of an area into the table of facts (`facts.ts`). */
export function joinFacts(source: string, { slug, camel }: AreaNames): string {
  const line = `import { ${camel}Facts } from './facts/${slug}.ts'`
  const imports = source.split('\n').filter((text) => text.startsWith('import '))
  const pathOf = (text: string) => text.split(' from ')[1] ?? ''
  const sorted = [...imports, line].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  const imported = source.replace(imports.join('\n'), sorted.join('\n'))
  return insert(imported, 'readonly Fact[] = [', /^\]/m, `  ...${camel}Facts,\n`)
}

/** The section of the document that comes next, where each operation has one: `4.5` after `4.4`. */
export function nextSection(files: readonly string[]): string {
  const numbers = files.flatMap((text) =>
    [...text.matchAll(/section: "4\.(\d+)"/g)].map(([, number]) => Number(number)),
  )
  return `4.${Math.max(0, ...numbers) + 1}`
}
