import { basename, join } from 'node:path'
import { addressVariable } from '@cdn/kit/address-variable'
import { isRecord, toRecord } from '@cdn/kit/record'
import { reviewFile, specsFolder } from '../bundle.ts'
import { type Imported, type ImportOptions, importContract } from './contract.ts'
import { type Json, listOf } from './json.ts'
import { namesIn, operationKey, operationsOf } from './operations.ts'
import { readForeign } from './read.ts'
import { keepDecisions, proposalNotes } from './review.ts'
import { commit } from './transaction.ts'
import { readYaml, yamlDocument } from './yaml.ts'

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

/** Returns the origin of a statement, for `x-source`. */
export function statementSource(file: string, foreign: Json): string {
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

/** Returns the output of an import. */
export function summaryOf(name: string, file: string, imported: Imported, notes: readonly string[]): string {
  const { contract, operations, assumed } = imported
  const server = toRecord(listOf(contract['servers'])[0])
  const schemes = Object.values(toRecord(toRecord(contract['components'])['securitySchemes']))
  const variables = schemes.filter(isRecord).map((scheme) => scheme['x-variable'])
  const effects = Object.entries(assumed).map(([effect, count]) => `${count} ${effect}`)
  return `${[
    `${operations} operations were written to ${file}, as supplement.`,
    `Server: ${server['url']}, or the one in ${addressVariable(name)}.`,
    `Credentials: ${variables.length > 0 ? variables.join(', ') : 'none'}.`,
    ...(effects.length > 0
      ? [
          `Effects are assumed (${effects.join(', ')}) and permit nothing until they are reviewed: pnpm review-effects ${name}`,
        ]
      : []),
    ...proposalNotes(contract, name),
    ...notes,
    ...imported.notes,
  ].join('\n')}\n`
}
