/**
 * `pnpm new-area "DNS Zone"`: writes the file of a new area and its rows in the table of facts, and links both.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { camelCase, kebabCase } from '@cdn/kit/case'
import { specInterfaces, specsFolder } from '../bundle.ts'
import { runScript } from '../run-script.ts'
import { declareArea, declaredAreas, joinFacts, linkPath, nameFact, nextSection, showFacts } from '../scaffold/edit.ts'

const usage = 'Expected an area: pnpm new-area "DNS Zone"'

/**
 * Scaffolds an area of the management interface.
 *
 * @param args the name of the area in the spec
 * @param folder the folder of the specs
 * @returns a summary, and the next three steps
 * @throws RangeError in one sentence if the name is invalid, or the area already has operations
 */
export async function newArea(args: readonly string[], folder: string = specsFolder): Promise<string> {
  const [area, ...rest] = args
  if (area === undefined || area.startsWith('-') || rest.length > 0) throw new RangeError(usage)
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

  const section = nextSection(await readSpecs(folder))
  const words = { AREA_NAME: area, AREA_SLUG: slug, AREA_CAMEL: camel, AREA_SECTION: section }
  const fill = async (template: string) =>
    Object.entries(words).reduce(
      (text, [word, value]) => text.replaceAll(word, value),
      await readFile(join(import.meta.dirname, '../scaffold', template), 'utf8'),
    )
  const file = `management/${slug}.yaml`
  const facts = 'tools/tests/facts'
  const files: Record<string, string> = {
    [file]: await fill('area.yaml'),
    'management/openapi.yaml': linkPath(declareArea(yaml, area), `/example/${slug}`, `${slug}.yaml#/example`),
    [`${facts}/${slug}.ts`]: await fill('facts.ts.txt'),
    [`${facts}/requirements.ts`]: showFacts(await read(`${facts}/requirements.ts`), slug),
    [`${facts}/operations.ts`]: nameFact(await read(`${facts}/operations.ts`), area),
    [`${facts}.ts`]: joinFacts(await read(`${facts}.ts`), slug, camel),
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  return `${area} (§${section}) was created:
  specs/${file}          its operations, with an example
  specs/tools/tests/facts/${slug}.ts           its rows in the table of facts
  specs/management/openapi.yaml and files in specs/tools/tests/ link them

Next:
  1. Replace the example in specs/${file} with the operations of the spec, and link their paths
     in specs/management/openapi.yaml. \`pnpm lint\` reports what is missing.
  2. Write the same facts, from the source of the spec and not from the YAML, into specs/tools/tests/facts/${slug}.ts.
  3. \`pnpm generate\`, then \`npm test\`. Types, mock, emulator, contract checks and commands follow from the YAML.
${declared ? '' : `\nThe spec did not name this area before: the text of \`management.service.areas\` in specs/management/openapi.yaml counts the areas; update it.\n`}`
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

/** Returns the texts of all files that refer to sections of the spec. */
export async function readSpecs(folder: string): Promise<string[]> {
  const files = await Promise.all(
    specInterfaces.map((name) =>
      readdir(join(folder, name)).then((all) => all.map((file) => join(folder, name, file))),
    ),
  )
  return await Promise.all(files.flat().map((file) => readFile(file, 'utf8')))
}

if (import.meta.main) await runScript(usage, newArea)
