/** What the tests of the specs share. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, type Interface, interfaces, specsFolder } from './bundle.ts'
import { steps, valueAt } from './facts/compare.ts'
import { pointer } from './facts/fact.ts'
import { redocly } from './redocly.ts'

/**
 * Hands an empty folder to `use` and takes it away afterwards.
 *
 * @param use gets the path of the folder
 * @returns what `use` gives
 */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'specs-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Copies the hand-written files of both interfaces into `folder`. */
export async function copySpecs(folder: string): Promise<void> {
  for (const name of interfaces) await cp(join(specsFolder, name), join(folder, name), { recursive: true })
}

/**
 * Replaces one piece of text in a file.
 *
 * @param path the file
 * @param from what must stand there exactly once
 * @param to what shall stand there instead
 * @throws Error when `from` is missing or not unique, so that a test cannot break nothing and stay green
 */
export async function replaceIn(path: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(from)
  if (parts.length !== 2) throw new Error(`${path} holds ${JSON.stringify(from)} ${parts.length - 1} times, not once`)
  await writeFile(path, parts.join(to))
}

/** What Redocly found: the rule and what it says. */
export interface Finding {
  readonly rule: string
  readonly message: string
  /** JSON pointer into the linted file, with `#` in front. */
  readonly at: string
}

/** Rules that speak of the document alone: its sections, its areas without operations, a cache status it shows nowhere. */
const documentRules = ['contract/section', 'contract/area-shown', 'no-unused-components']

/** Lints the files written by hand as `npm run lint` does, each by the configuration of its own. */
export async function lintSources(): Promise<Finding[]> {
  return (await lint([], [])).flat()
}

/**
 * Lints many files by one process, which is quick; what is configured for a single file does not apply.
 *
 * @param files paths of OpenAPI files or overlays
 * @param skip rules to leave out
 * @returns the findings of each file, in the same order
 */
export async function lintFiles(files: readonly string[], skip = ['no-unused-components']): Promise<Finding[][]> {
  return await lint(files, skip)
}

/**
 * Lints what the overlays of an interface make of it: operations of the supplement obey the same rules. Of what was imported,
 * and has words that nobody has looked at (`x-assumed`), only our own rules are asked: how others write is theirs.
 *
 * @param copies folders of specs, each with the interface to look at
 * @returns the findings of each, in the same order
 */
export async function lintFull(copies: readonly (readonly [folder: string, name: Interface])[]): Promise<Finding[][]> {
  return await withScratch(async (scratch) => {
    const contracts = await Promise.all(copies.map(([folder, name]) => bundle(name, 'full', folder)))
    const files = await Promise.all(
      copies.map(async ([, name], index) => {
        const contract = contracts[index] ?? {}
        const place = join(scratch, String(index), name)
        await mkdir(place, { recursive: true })
        await writeFile(join(place, 'openapi.json'), JSON.stringify(contract))
        return join(place, 'openapi.json')
      }),
    )
    const findings = await lint(files, documentRules)
    return findings.map((found, index) =>
      found.filter(({ rule, at }) => isOurs(rule) || !isImported(contracts[index] ?? {}, at)),
    )
  })
}

function isOurs(rule: string): boolean {
  return rule === 'struct' || rule.startsWith('contract/')
}

/** Whether a place is in an operation with `x-assumed`, in its path, or in a schema of a contract that has any. */
function isImported(contract: Record<string, unknown>, at: string): boolean {
  const isAssumed = (node: unknown) => valueAt(node, '/x-assumed') !== undefined
  const items = Object.values((contract['paths'] ?? {}) as Record<string, object>)
  const [first = '', path = '', method = ''] = steps(at.replace(/^#/, ''))
  if (first === 'components') return items.some((item) => Object.values(item).some(isAssumed))
  const item = valueAt(contract, pointer('paths', path)) as object | undefined
  return (
    first === 'paths' &&
    [...Object.entries(item ?? {})].some(
      ([key, operation]) => (method === '' || key === method) && isAssumed(operation),
    )
  )
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
  // One JSON object a file, one after another.
  const reports = stdout.split(/(?<=^\})(?=\{)/m).map((text) => JSON.parse(text) as Report)
  return reports.map(({ problems }) =>
    problems.map(({ ruleId, message, location }) => ({ rule: ruleId, message, at: location[0]?.pointer ?? '' })),
  )
}
