/** Helpers of the tests of the specs. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleContract, type InterfaceName, interfaces, specsFolder } from '../bundle.ts'
import { createScratch, redocly } from '../redocly.ts'

/** Copies the files of the spec and its supplement into `folder`. */
export async function copySpecs(folder: string): Promise<void> {
  for (const name of interfaces) await cp(join(specsFolder, name), join(folder, name), { recursive: true })
}

/**
 * Replaces one piece of text in a file.
 *
 * @param path the file
 * @param from text that must occur exactly once
 * @param to the replacement
 * @throws Error if `from` is missing or not unique; otherwise a test could pass although the replacement changed nothing
 */
export async function replaceIn(path: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(from)
  if (parts.length !== 2) throw new Error(`${path} holds ${JSON.stringify(from)} ${parts.length - 1} times, not once`)
  await writeFile(path, parts.join(to))
}

/** A finding of Redocly. */
export interface Finding {
  readonly rule: string
  readonly message: string
  /** JSON pointer into the linted file, with the prefix `#`. */
  readonly at: string
}

/** Rules that apply only to the spec: about its sections, areas without operations, and components without use. */
const documentRules = ['rule/section', 'contract/area-shown', 'no-unused-components']

/** Lints the files of the spec, each with its own configuration in redocly.yaml. */
export async function lintSources(): Promise<Finding[]> {
  return (await lint([], [])).flat()
}

/**
 * Lints many files in one process, which is fast. Configurations for single files do not apply.
 *
 * @param files paths of OpenAPI files or overlays
 * @param skip rules to leave out
 * @returns the findings of each file, in the same order
 */
export async function lintFiles(files: readonly string[], skip = ['no-unused-components']): Promise<Finding[][]> {
  return await lint(files, skip)
}

/**
 * Lints interfaces of the spec with their supplement. The operations of the supplement obey the same rules.
 *
 * @param copies folders of specs, each with the interface to lint
 * @returns the findings of each copy, in the same order
 */
export async function lintFull(
  copies: readonly (readonly [folder: string, name: InterfaceName])[],
): Promise<Finding[][]> {
  await using scratch = await createScratch()
  const files = await Promise.all(
    copies.map(async ([folder, name], index) => {
      const contract = await bundleContract(name, 'full', folder)
      const place = join(scratch.path, String(index), name)
      await mkdir(place, { recursive: true })
      await writeFile(join(place, 'openapi.json'), JSON.stringify(contract))
      return join(place, 'openapi.json')
    }),
  )
  return await lint(files, documentRules)
}

interface Report {
  readonly problems: readonly {
    readonly ruleId: string
    readonly message: string
    readonly location: readonly { readonly pointer?: string }[]
  }[]
}

async function lint(files: readonly string[], skip: readonly string[]): Promise<Finding[][]> {
  const skipped = skip.flatMap((rule) => ['--skip-rule', rule])
  const options = ['--config', 'redocly.yaml', '--format', 'json', '--max-problems', '100000', ...skipped]
  const { stdout, stderr } = await redocly(['lint', ...files, ...options], specsFolder)
  if (!stdout.startsWith('{')) throw new Error(`Redocly did not lint:\n${stderr || stdout}`)
  // The output is one JSON object per file, concatenated.
  const reports = stdout.split(/(?<=^\})(?=\{)/m).map((text): Report => JSON.parse(text))
  return reports.map(({ problems }) =>
    problems.map(({ ruleId, message, location }) => ({ rule: ruleId, message, at: location[0]?.pointer ?? '' })),
  )
}
