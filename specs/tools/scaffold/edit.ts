/** Edits of hand-written files: adds or removes a line, and keeps everything else. */
import { parse } from 'yaml'

/**
 * Inserts a line. It comes before the first match of `before` that follows `after`.
 *
 * @param after text after which the search for `before` begins
 * @param before pattern of the line that follows the new line
 * @throws Error if `after` or `before` is missing, because then the file no longer has the form that this function expects
 */
function insert(text: string, after: string, before: RegExp, line: string): string {
  const start = text.indexOf(after)
  const match = start === -1 ? null : before.exec(text.slice(start + after.length))
  if (!match) throw new Error(`Cannot insert \`${line.trim()}\`: nothing matches ${before} after \`${after}\`.`)
  const at = start + after.length + match.index
  return text.slice(0, at) + line + text.slice(at)
}

/**
 * Lists the areas that `openapi.yaml` declares, in order.
 *
 * @param yaml the text of the file
 * @returns each name, and whether its operations are unspecified
 */
export function declaredAreas(yaml: string): { readonly area: string; readonly unspecified: boolean }[] {
  const { tags }: { tags: { name: string; 'x-unspecified'?: unknown }[] } = parse(yaml)
  return tags.map(({ name, 'x-unspecified': points }) => ({ area: name, unspecified: points !== undefined }))
}

/** Declares an area in `openapi.yaml`, or removes the mark that its operations are unspecified. */
export function declareArea(yaml: string, area: string): string {
  const declared = declaredAreas(yaml).some((candidate) => candidate.area === area)
  if (!declared) return insert(yaml, '\ntags:\n', /^(?! )/m, `  - name: ${area}\n`)
  return yaml.replace(new RegExp(`(^ {2}- name: ${area}\\n) {4}x-unspecified:\\n(?: {6}.*\\n)*`, 'm'), '$1')
}

/** Links a path of an area file in `openapi.yaml`. */
export function linkPath(yaml: string, path: string, reference: string): string {
  return insert(yaml, '\npaths:\n', /^(?= *\n)|^(?! )/m, `  ${path}:\n    $ref: ${reference}\n`)
}

/** Removes the unspecified operations of an area from the table of facts (`tests/facts/requirements.ts`). */
export function showFacts(source: string, slug: string): string {
  return source.replace(new RegExp(`^ {2}.+: '${slug}',\\n`, 'm'), '')
}

/** Adds the name of an area to the table of facts (`tests/facts/operations.ts`), unless the table already has it. */
export function nameFact(source: string, area: string): string {
  return source.includes(`\n  '${area}',\n`) ? source : insert(source, '\nconst areas = [\n', /^\]/m, `  '${area}',\n`)
}

/** Adds the rows of an area to the table of facts (`facts.ts`). */
export function joinFacts(source: string, slug: string, camel: string): string {
  const line = `import { ${camel}Facts } from './facts/${slug}.ts'`
  const imports = source.split('\n').filter((text) => text.startsWith('import '))
  const pathOf = (text: string) => text.split(' from ')[1] ?? ''
  const sorted = [...imports, line].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  const imported = source.replace(imports.join('\n'), sorted.join('\n'))
  return insert(imported, 'readonly Fact[] = [', /^\]/m, `  ...${camel}Facts,\n`)
}

/** Returns the next section of the spec for operations: `4.5` after `4.4`. */
export function nextSection(files: readonly string[]): string {
  const numbers = files.flatMap((text) =>
    [...text.matchAll(/section: "4\.(\d+)"/g)].map(([, number]) => Number(number)),
  )
  return `4.${Math.max(0, ...numbers) + 1}`
}
