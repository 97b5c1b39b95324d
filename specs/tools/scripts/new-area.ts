/** `pnpm new-area "DNS Zone"`: writes the file of a new area, with an example. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { camelCase, kebabCase } from '@cdn/kit/letter-case'
import { parse, parseDocument } from 'yaml'
import { specsFolder } from '../bundle.ts'

/**
 * Writes the file of an area of the management interface, and links it.
 *
 * @param args the name of the area in the spec
 * @param folder the folder of the specs
 * @returns a summary, and the next steps
 * @throws RangeError in one sentence if the name is invalid, the area already has operations, or the file exists
 */
export function newArea(args: readonly string[], folder: string = specsFolder): string {
  const [area = '', ...rest] = args
  if (area === '' || area.startsWith('-') || rest.length > 0)
    throw new RangeError('Expected an area: pnpm new-area "DNS Zone"')
  const slug = slugOf(area)
  const entry = join(folder, 'management/openapi.yaml')
  const yaml = readFileSync(entry, 'utf8')
  const areas = declaredAreas(yaml)
  const declared = areas.find((candidate) => candidate.area.toLowerCase() === area.toLowerCase())
  if (declared && declared.area !== area)
    throw new RangeError(`The spec writes this area \`${declared.area}\`: pnpm new-area "${declared.area}"`)
  if (declared && !declared.unspecified)
    throw new RangeError(`The area \`${area}\` has operations already: add more operations to its file.`)
  const file = `management/${slug}.yaml`
  if (existsSync(join(folder, file)))
    throw new RangeError(`specs/${file} exists already: move it, or choose another name.`)

  const section = nextSection(folder)
  const camel = camelCase(slug)
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1)
  const words = { AREA_NAME: area, AREA_SLUG: slug, AREA_PASCAL: pascal, AREA_SECTION: section }
  const text = readFileSync(join(import.meta.dirname, '../scaffold/area.yaml'), 'utf8')
  const filled = Object.entries(words).reduce((filling, [word, value]) => filling.replaceAll(word, value), text)
  writeFileSync(join(folder, file), filled)
  const document = parseDocument(yaml)
  if (declared) document.deleteIn(['tags', areas.indexOf(declared), 'x-unspecified'])
  else document.addIn(['tags'], { name: area })
  document.setIn(['paths', `/example/${slug}`], { $ref: `${slug}.yaml#/example` })
  writeFileSync(entry, document.toString({ lineWidth: 0 }))
  return `${area} (§${section}) was created: specs/${file}, with an example. specs/management/openapi.yaml links it.

Next:
  1. Add the section of the spec to specs/SPEC.md: \`### §${section} ${area}\` and its text.
  2. Replace the example in specs/${file} with the operations of the spec, and link their paths in
     specs/management/openapi.yaml. \`pnpm lint\` reports what is missing, and what differs from SPEC.md.
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

/** Returns the next section of the spec for operations: `4.5` after `4.4`. */
export function nextSection(folder: string): string {
  const texts = globSync('{management,logging}/*.yaml', { cwd: folder }).map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  )
  const numbers = texts.flatMap((text) =>
    [...text.matchAll(/section: "4\.(\d+)"/g)].map(([, number]) => Number(number)),
  )
  return `4.${Math.max(0, ...numbers) + 1}`
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

if (import.meta.main)
  try {
    process.stdout.write(newArea(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message.replaceAll(specsFolder, 'specs'))
    process.exitCode = 2
  }
