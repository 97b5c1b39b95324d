import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createScratch, redocly } from './redocly.ts'

/** The folder of the specs, with one folder per interface. */
export const specsFolder: string = join(import.meta.dirname, '..')

/** The two interfaces that the spec describes. All other interfaces were imported. */
export const specInterfaces = ['management', 'logging'] as const
export type SpecInterfaceName = (typeof specInterfaces)[number]

/**
 * Lists the interfaces: those of the spec first, then imported ones by name.
 *
 * @param folder the folder of the specs
 * @returns the names of all folders with an `openapi.yaml`
 */
export function interfacesIn(folder: string): string[] {
  const isInterface = (name: string) => existsSync(join(folder, name, 'openapi.yaml'))
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const all = names.map(({ name }) => name).filter(isInterface)
  const imported = all.filter((name) => !isSpecInterface(name)).sort()
  return [...specInterfaces.filter((name) => all.includes(name)), ...imported]
}

/** Whether the spec describes an interface of this name. */
export function isSpecInterface(name: string): name is SpecInterfaceName {
  return specInterfaces.some((one) => one === name)
}

/** All interfaces of this repository. */
export const interfaces: readonly string[] = interfacesIn(specsFolder)

/**
 * Bundles one interface into a single OpenAPI document with internal references only.
 *
 * @param name the interface
 * @param layer `document`: only the spec, which states nothing about an imported interface. `full`: also the public facts in this
 *   repository, and imported and reviewed statements
 * @param folder the folder of the specs; tests use copies
 * @param without paths of overlays to leave out
 * @returns the document as parsed JSON
 * @throws Error with Redocly's findings if a file does not parse, a reference does not resolve, or an overlay is invalid
 */
export async function bundleContract(
  name: string,
  layer: 'document' | 'full',
  folder: string = specsFolder,
  without: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const all = layer === 'full' ? overlaysOf(name, folder) : []
  const overlays = all.filter((overlay) => !without.includes(overlay))
  return await bundleFile(folder, `${name}/openapi.yaml`, ...overlays.flatMap((overlay) => ['--overlay', overlay]))
}

/** Returns the path of the file with a reviewer's decisions. The decisions are kept when the contract is imported again. */
export function reviewFile(name: string): string {
  return `${name}/review.overlay.yaml`
}

/** Returns the path of the file for a contract that was imported into an interface of the spec. */
export function importedFile(name: SpecInterfaceName, contract: string): string {
  return `${name}/imported-${contract}.overlay.yaml`
}

/** The overlays of an interface in the order of their application. */
function overlaysOf(name: string, folder: string): string[] {
  const files = readdirSync(join(folder, name))
  const imported = files.filter((file) => /^imported-.*\.overlay\.yaml$/.test(file)).sort()
  const overlays = ['supplement.overlay.yaml', ...imported, 'review.overlay.yaml']
  return overlays.filter((file) => files.includes(file)).map((file) => `${name}/${file}`)
}

/** An action of an overlay. The actions are applied in order. */
export interface Action {
  readonly target: string
  readonly 'x-source': string
  readonly update?: unknown
  readonly remove?: boolean
}

/** An overlay as parsed JSON. */
export interface Overlay {
  readonly overlay: string
  readonly info: Readonly<Record<string, string>>
  readonly actions: readonly Action[]
}

/**
 * Reads a file and all files that it refers to as one JSON document.
 *
 * @param folder working directory of Redocly
 * @param args the file, relative to `folder`, and Redocly's options
 * @throws Error with Redocly's findings
 */
export async function bundleFile(folder: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  await using scratch = await createScratch()
  const output = join(scratch.path, 'bundle.json')
  const { code, stderr } = await redocly(['bundle', ...args, '--output', output], folder)
  if (code !== 0) throw new Error(`Cannot bundle ${args.join(' ')} of specs:\n${stderr.trim()}`)
  return JSON.parse(await readFile(output, 'utf8'))
}
