/**
 * `pnpm new-area "DNS Zone" [--from FILE]`: writes the file of a new area and its rows in the table of facts, and links both. With a file,
 * the area has the operations of this tag of an OpenAPI file instead of an example.
 */
import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { camelCase, kebabCase } from '@cdn/kit/case'
import { parse } from 'yaml'
import { interfaces, specsFolder } from '../bundle.ts'
import { copyArea } from './from-openapi.ts'

const usage = 'Expected an area: pnpm new-area "DNS Zone" [--from openapi.json]'

/**
 * Scaffolds an area of the management interface.
 *
 * @param args the name of the area in the spec, and perhaps `--from` with an OpenAPI file
 * @param folder the folder of the specs
 * @returns a summary, and the next three steps
 * @throws RangeError in one sentence if the name is invalid, or the area already has operations
 */
export async function newArea(args: readonly string[], folder: string = specsFolder): Promise<string> {
  const { from, area } = readArgs(args)
  const slug = slugOf(area)
  const camel = camelCase(slug)
  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const yaml = await read('management/openapi.yaml')
  const declared = declaredAreas(yaml).find((candidate) => candidate.area.toLowerCase() === area.toLowerCase())
  if (declared && declared.area !== area)
    throw new RangeError(`The spec writes this area \`${declared.area}\`: pnpm new-area "${declared.area}"`)
  if (declared && !declared.unspecified)
    throw new RangeError(`The area \`${area}\` has operations already: add more of them to its file.`)
  if (existsSync(join(folder, `management/${slug}.yaml`)))
    throw new RangeError(`specs/management/${slug}.yaml exists already: move it, or choose another name.`)

  const copied = from === undefined ? undefined : copyArea(await readGiven(from), area)
  const section = await nextSection(folder)
  const words = {
    AREA_NAME: area,
    AREA_SLUG: slug,
    AREA_CAMEL: camel,
    AREA_PASCAL: camel.charAt(0).toUpperCase() + camel.slice(1),
    AREA_SECTION: section,
  }
  const fill = async (template: string) =>
    Object.entries(words).reduce(
      (text, [word, value]) => text.replaceAll(word, value),
      await readFile(join(import.meta.dirname, '../scaffold', template), 'utf8'),
    )
  const file = `management/${slug}.yaml`
  const links = copied?.keys ?? new Map([[`/example/${slug}`, 'example']])
  const linked = [...links].reduce(
    (text, [path, key]) => linkPath(text, path, `${slug}.yaml#/${key}`),
    declareArea(yaml, area),
  )
  const facts = 'tools/tests/facts'
  const files: Record<string, string> = {
    [file]: copied?.yaml ?? (await fill('area.yaml')),
    'management/openapi.yaml': linked,
    [`${facts}/${slug}.ts`]: await fill(copied ? 'no-facts.ts.txt' : 'facts.ts.txt'),
    [`${facts}/requirements.ts`]: showFacts(await read(`${facts}/requirements.ts`), slug),
    [`${facts}/operations.ts`]: nameFact(await read(`${facts}/operations.ts`), area),
    [`${facts}.ts`]: joinFacts(await read(`${facts}.ts`), slug, camel),
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  return `${area} (§${section}) was created:
  specs/${file}          its operations${copied ? '' : ', with an example'}
  specs/tools/tests/facts/${slug}.ts           its rows in the table of facts
  specs/management/openapi.yaml and files in specs/tools/tests/ link them

Next:
  1. ${copied ? `Complete the operations in specs/${file}: effects, changes, requirements.` : `Replace the example in specs/${file} with the operations of the spec, and link their paths\n     in specs/management/openapi.yaml.`} \`pnpm lint\` reports what is missing.
  2. Write the same facts, from the source of the spec and not from the YAML, into specs/tools/tests/facts/${slug}.ts.
  3. \`pnpm generate\`, then \`npm test\`. Types, mock, emulator, contract checks and commands follow from the YAML.
${declared ? '' : `\nThe spec did not name this area before: the text of \`management.service.areas\` in specs/management/openapi.yaml counts the areas; update it.\n`}`
}

/** @throws RangeError with the usage */
function readArgs(args: readonly string[]): { readonly area: string; readonly from: string | undefined } {
  try {
    const options = { from: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [area, ...rest] = positionals
    if (area !== undefined && rest.length === 0) return { area, from: values.from }
  } catch {}
  throw new RangeError(usage)
}

/** Reads a file, relative to the folder of the user: pnpm runs scripts in the root, and sets INIT_CWD to that folder. */
async function readGiven(file: string): Promise<string> {
  return await readFile(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8').catch((error: Error) => {
    throw new RangeError(`Cannot read ${file}: ${error.message.replace(/^\w+: |, open .*/g, '')}.`)
  })
}

/**
 * Returns the name of an area for files and ids: `dns-zone`.
 *
 * @param area its name in the spec
 * @throws RangeError in one sentence if the name is invalid
 */
export function slugOf(area: string): string {
  const slug = kebabCase(area)
  if (!/^[a-z][a-z0-9-]*$/.test(slug) || /[^\w -]/.test(area))
    throw new RangeError(
      `\`${area}\` is not a name of an area: expected letters, digits and spaces, such as "DNS Zone".`,
    )
  return slug
}

/** Returns the next section of the spec for operations: `4.5` after `4.4`. */
export async function nextSection(folder: string): Promise<string> {
  const folders = interfaces.map((name) => join(folder, name))
  const files = folders.flatMap((path) => readdirSync(path).map((file) => join(path, file)))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const numbers = texts.flatMap((text) =>
    [...text.matchAll(/section: "4\.(\d+)"/g)].map(([, number]) => Number(number)),
  )
  return `4.${Math.max(0, ...numbers) + 1}`
}

// Edits of hand-written files: they add or remove a line, and keep everything else.

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
function declareArea(yaml: string, area: string): string {
  const declared = declaredAreas(yaml).some((candidate) => candidate.area === area)
  if (!declared) return insert(yaml, '\ntags:\n', /^(?! )/m, `  - name: ${area}\n`)
  return yaml.replace(new RegExp(`(^ {2}- name: ${area}\\n) {4}x-unspecified:\\n(?: {6}.*\\n)*`, 'm'), '$1')
}

/** Links a path of an area file in `openapi.yaml`. */
function linkPath(yaml: string, path: string, reference: string): string {
  return insert(yaml, '\npaths:\n', /^(?= *\n)|^(?! )/m, `  ${path}:\n    $ref: ${reference}\n`)
}

/** Removes the unspecified operations of an area from the table of facts (`tests/facts/requirements.ts`). */
function showFacts(source: string, slug: string): string {
  return source.replace(new RegExp(`^ {2}.+: '${slug}',\\n`, 'm'), '')
}

/** Adds the name of an area to the table of facts (`tests/facts/operations.ts`), unless the table already has it. */
function nameFact(source: string, area: string): string {
  return source.includes(`\n  '${area}',\n`) ? source : insert(source, '\nconst areas = [\n', /^\]/m, `  '${area}',\n`)
}

/** Adds the rows of an area to the table of facts (`facts.ts`). */
function joinFacts(source: string, slug: string, camel: string): string {
  const line = `import { ${camel}Facts } from './facts/${slug}.ts'`
  const imports = source.split('\n').filter((text) => text.startsWith('import '))
  const pathOf = (text: string) => text.split(' from ')[1] ?? ''
  const sorted = [...imports, line].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  const imported = source.replace(imports.join('\n'), sorted.join('\n'))
  return insert(imported, 'readonly Fact[] = [', /^\]/m, `  ...${camel}Facts,\n`)
}

if (import.meta.main)
  try {
    process.stdout.write(await newArea(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message.replaceAll(specsFolder, 'specs'))
    process.exitCode = 2
  }
