/** `pnpm new-area "DNS Zone"`: the file of a new area, its rows in the table of facts, and the links to both. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { interfaces, specsFolder } from '../bundle.ts'
import { areaFile, examplePath } from '../scaffold/area-file.ts'
import { declareArea, declaredAreas, joinFacts, linkPath, nameFact, nextSection, showFacts } from '../scaffold/edit.ts'
import { factsFile } from '../scaffold/facts-file.ts'
import { namesOf } from '../scaffold/names.ts'

const usage = 'Say which area: pnpm new-area "DNS Zone"'

/**
 * Scaffolds an area of the management interface.
 *
 * @param args the area's name, as the document writes it
 * @param folder the folder of the specs
 * @returns what was done, and the next three steps
 * @throws RangeError in one sentence when the name is none, or the area has operations already
 */
export async function newArea(args: readonly string[], folder: string = specsFolder): Promise<string> {
  const [area, ...rest] = args
  if (area === undefined || area.startsWith('-') || rest.length > 0) throw new RangeError(usage)
  const names = namesOf(area)
  const { slug } = names
  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const yaml = await read('management/openapi.yaml')
  const declared = declaredAreas(yaml).find((candidate) => candidate.area.toLowerCase() === area.toLowerCase())
  if (declared && declared.area !== area)
    throw new RangeError(`The document writes this area \`${declared.area}\`: pnpm new-area "${declared.area}"`)
  if (declared && !declared.notShown)
    throw new RangeError(`The area \`${area}\` has operations already: write more of them into its file.`)
  if (existsSync(join(folder, `management/${slug}.yaml`)))
    throw new RangeError(
      `specs/management/${slug}.yaml is there already, and the area \`${area}\` is said to be not shown.`,
    )

  const section = nextSection(await readSpecs(folder))
  const file = `management/${slug}.yaml`
  const files: Record<string, string> = {
    [file]: areaFile(names, section),
    'management/openapi.yaml': linkPath(declareArea(yaml, names), examplePath(names), `${slug}.yaml#/example`),
    [`facts/${slug}.ts`]: factsFile(names, section),
    'facts/requirements.ts': showFacts(await read('facts/requirements.ts'), names),
    'facts/operations.ts': nameFact(await read('facts/operations.ts'), names),
    'facts.ts': joinFacts(await read('facts.ts'), names),
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  return `${area} (§${section}) has its place:
  specs/${file}          its operations, with an example
  specs/facts/${slug}.ts                 its rows in the table of facts
  specs/management/openapi.yaml, specs/facts.ts link them

Next:
  1. Put the operations of the document in the place of the example in specs/${file}, and their paths
     into specs/management/openapi.yaml. \`pnpm lint\` says what is missing.
  2. Write the same facts from the document, not from the YAML, into specs/facts/${slug}.ts.
  3. \`pnpm generate\`, then \`npm test\`. Types, mock, laws and commands are there; the emulator has an operation with
     packages/emulator/src/handlers/<x-name>.ts.
${declared ? '' : `\nThe document did not name this area before: look at what it says in \`management.service.areas\`.\n`}`
}

/** All files that name sections of the document. */
async function readSpecs(folder: string): Promise<string[]> {
  const files = await Promise.all(
    interfaces.map((name) => readdir(join(folder, name)).then((all) => all.map((file) => join(folder, name, file)))),
  )
  return await Promise.all(files.flat().map((file) => readFile(file, 'utf8')))
}

if (import.meta.main) {
  try {
    process.stdout.write(await newArea(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
