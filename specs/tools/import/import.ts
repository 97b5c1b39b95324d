import { basename, join } from 'node:path'
import { addressVariable } from '@cdn/kit/address-variable'
import { isRecord, toRecord } from '@cdn/kit/record'
import {
  type Action,
  bundleContract,
  importedFile,
  type Overlay,
  reviewFile,
  type SpecInterfaceName,
  specsFolder,
} from '../bundle.ts'
import { type Imported, type ImportOptions, importContract } from './contract.ts'
import { enrich } from './enrich.ts'
import { type Json, listOf, readYaml, yamlDocument } from './json.ts'
import {
  componentsOf,
  type ForeignOperation,
  namesIn,
  operationKey,
  operationsOf,
  pathsOf,
  shapeOf,
  titleOf,
} from './operations.ts'
import { readForeign } from './read.ts'
import { assumedNotes, keepDecisions } from './review.ts'
import { commit } from './transaction.ts'

/**
 * Imports a contract as an interface, or replaces an earlier version of the contract. Writes `specs/NAME/openapi.yaml` and all
 * files that are generated from it. Keeps the names of existing operations and the decisions of a reviewer.
 *
 * @param file OpenAPI 3.0 or 3.1, YAML or JSON
 * @param name the interface
 * @param choices replacements of the server and the credential of the contract
 * @returns a few lines about what was imported and what was not
 * @throws RangeError with a clause if the contract cannot be imported; then nothing is written
 */
export async function importInterface(
  file: string,
  name: string,
  choices: Pick<ImportOptions, 'server' | 'credential'>,
): Promise<string> {
  const { foreign, notes } = await readForeign(file)
  const path = `${name}/openapi.yaml`
  const earlier = await readYaml(join(specsFolder, path))
  if (earlier && earlier['x-source'] === undefined) throw new RangeError(`specs/${path} exists and was not imported`)
  const source = statementSource(file, foreign)
  const imported = importContract(foreign, { ...choices, name, source, names: namesIn([earlier ?? {}]), namespace: '' })
  const review = await keepDecisions(join(specsFolder, reviewFile(name)), imported.contract)
  const text = yamlDocument(
    imported.contract,
    `Written by \`pnpm import-contract\`; review.overlay.yaml has the decisions of a reviewer.`,
  )
  await commit(name, { [path]: text, ...(review.text !== null && { [reviewFile(name)]: review.text }) })
  return summaryOf(name, `specs/${path}`, imported, [...notes, ...review.notes, ...changes(earlier, imported.contract)])
}

function statementSource(file: string, foreign: Json): string {
  const { title, version } = toRecord(foreign['info'])
  return `imported from ${basename(file)}, ${title} ${version} [C]`
}

/** Returns a sentence about the number of operations that a newer version adds and removes. */
function changes(earlier: Json | undefined, contract: Json): string[] {
  if (!earlier) return []
  const keysOf = (api: Json) => new Set(operationsOf(api).map(operationKey))
  const [before, after] = [keysOf(earlier), keysOf(contract)]
  const added = [...after].filter((key) => !before.has(key)).length
  const removed = [...before].filter((key) => !after.has(key)).length
  return [`It replaces an earlier version: ${added} operations are new, ${removed} are gone.`]
}

function summaryOf(name: string, file: string, { contract, notes }: Imported, others: readonly string[]): string {
  const server = toRecord(listOf(contract['servers'])[0])
  const schemes = Object.values(componentsOf(contract, 'securitySchemes'))
  const variables = schemes.filter(isRecord).map((scheme) => scheme['x-variable'])
  return `${[
    `${operationsOf(contract).length} operations were written to ${file}, as supplement.`,
    `Server: ${server['url']}, or the one in ${addressVariable(name)}.`,
    `Credentials: ${variables.length > 0 ? variables.join(', ') : 'none'}.`,
    ...assumedNotes(contract, name),
    ...others,
    ...notes,
  ].join('\n')}\n`
}

/**
 * Imports a contract into an interface of the spec, as supplement. Existing operations keep their statements, and gain statements
 * about points that they leave open. All other operations of the contract are added.
 *
 * @param file OpenAPI 3.0 or 3.1, YAML or JSON
 * @param name the contract; another import of the same name replaces it
 * @param into the interface
 * @returns a few lines about the additions and contradictions
 * @throws RangeError with a clause if the contract cannot be imported; then nothing is written
 */
export async function importInto(file: string, name: string, into: SpecInterfaceName): Promise<string> {
  const { foreign, notes } = await readForeign(file)
  const path = importedFile(into, name)
  const ours = await bundleContract(into, 'full', specsFolder, [path, reviewFile(into)])
  const earlier = await readYaml(join(specsFolder, path))
  const source = statementSource(file, foreign)
  const names = namesIn([earlierContract(earlier), ours])
  const options = { name, source, names, namespace: `${name}.`, ours }
  const imported = importContract({ ...foreign, servers: ours['servers'] }, options)
  const { contract: theirs } = imported
  const present = new Map(operationsOf(ours).map((one) => [operationKey(one), one]))
  const all = operationsOf(theirs)
  const added = all.filter((one) => !present.has(operationKey(one)))
  const gains = all.flatMap((their) => {
    const our = present.get(operationKey(their))
    return our ? [{ title: titleOf(our), ...enrich(ours, our, theirs, their) }] : []
  })
  const update = (target: string, value: unknown): Action => ({ target, 'x-source': source, update: value })
  const tags = listOf(ours['tags']).map((tag) => toRecord(tag)['name'])
  const addedTags = new Set(added.flatMap(({ operation }) => listOf(operation['tags'])))
  const newTags = [...addedTags].filter((tag) => !tags.includes(tag))
  const actions = [
    ...(newTags.length > 0 ? [update('$', { tags: newTags.map((tag) => ({ name: tag })) })] : []),
    ...(added.length > 0 ? [update('$.paths', pathsOf(added.map((one) => withoutKnownResource(one, ours))))] : []),
    update('$.components.schemas', componentsOf(theirs, 'schemas')),
    ...gains.flatMap((gain) => gain.updates.map(([target, value]) => update(target, value))),
  ]
  const overlay: Overlay = { overlay: '1.0.0', info: { title: `Imported: ${name}`, version: '1.0.0' }, actions }
  await commit(into, { [path]: yamlDocument(overlay, 'Written by `pnpm import-contract`.') })
  return `${[
    `${added.length} operations are added to ${into} by specs/${path}, as supplement.`,
    ...(gains.length > 0
      ? [`These exist and gain what they leave open: ${gains.map(({ title }) => title).join(', ')}.`]
      : []),
    ...gains.flatMap((gain) =>
      gain.contradictions.map((one) => `Contradiction, the existing statement stays: ${one}.`),
    ),
    ...assumedNotes({ paths: pathsOf(added) }, into),
    ...notes,
    ...imported.notes,
  ].join('\n')}\n`
}

/** Returns the paths of an earlier import of the same name. */
function earlierContract(overlay: Json | undefined): Json {
  const actions = listOf(overlay?.['actions']).filter(isRecord)
  return { paths: actions.find(({ target }) => target === '$.paths')?.['update'] }
}

/** Removes the proposed resource of a path, if our contract states one for this path. */
function withoutKnownResource(one: ForeignOperation, ours: Json): ForeignOperation {
  const isKnown = Object.entries(toRecord(ours['paths'])).some(
    ([path, item]) => shapeOf(path) === shapeOf(one.path) && toRecord(item)['x-resource'] !== undefined,
  )
  return isKnown ? { ...one, item: {} } : one
}
