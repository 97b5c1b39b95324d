import { readFileSync, realpathSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import { isRecord, toRecord } from '@cdn/kit/record'
import { lookUp } from '@cdn/kit/reference'
import { parseDocument, visit } from 'yaml'
import { bundleFile } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import { type Json, withoutControls } from './json.ts'

/** Maximum size of all files of a contract together. The largest public contracts have about 12 MB. */
const maxBytes = 32 << 20
/** Maximum number of values in all files together. Each alias of YAML counts as a copy of its values. */
const maxValues = 4_000_000
/** Maximum depth of nested values, because all other programs read nested values recursively. */
const maxDepth = 200
/** Maximum number of aliases in a file. The library searches the whole file for each of them. */
const maxAliases = 1_000

/** Keys that are not read if their value is text. Some programs would follow them to other documents. */
const ignored = new Set('$id $schema $anchor $dynamicRef $dynamicAnchor $recursiveRef externalValue'.split(' '))

/**
 * Reads a foreign contract with all files that it refers to.
 *
 * @param path OpenAPI 3.0 or 3.1, YAML or JSON
 * @returns one document without control characters, and a note about the other files
 * @throws RangeError if the file is not such a contract; the message is a clause without the name of the file
 */
export async function readForeign(path: string): Promise<{ foreign: Json; notes: readonly string[] }> {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) throw new RangeError('the file does not exist')
  if (!status.isFile()) throw new RangeError('it is not a file')
  const files = readFiles(path)
  const document = files.length > 1 ? await bundleCopies(files) : files[0]?.document
  if (!isRecord(document)) throw new RangeError('it is not an object')
  if (document['swagger'] !== undefined) throw new RangeError('it is Swagger 2.0; convert it to OpenAPI 3 first')
  if (!/^3\.[01]\./.test(`${document['openapi']}.`)) throw new RangeError('it is not OpenAPI 3.0 or 3.1')
  if (!isRecord(document['info']) || !isRecord(document['paths'])) throw new RangeError('it needs `info` and `paths`')
  const others = files.slice(1).map(({ path: copy }) => copy.replace(/^\d+\//, ''))
  const notes = others.length > 0 ? [`It refers to other files, which are imported with it: ${others.join(', ')}.`] : []
  return { foreign: document, notes }
}

/** Bundles copies of the files in an empty folder, where Redocly has no other file to read. */
async function bundleCopies(files: ReturnType<typeof readFiles>): Promise<Json> {
  await using scratch = await createScratch()
  await writeFile(join(scratch.path, 'redocly.yaml'), 'extends: []\n')
  for (const { path, document } of files) {
    await mkdir(join(scratch.path, dirname(path)))
    await writeFile(join(scratch.path, path), JSON.stringify(document))
  }
  return await bundleFile(scratch.path, String(files[0]?.path)).catch((error: Error) => {
    const finding = error.message.split('\n').find((line) => line.startsWith('  - '))
    const reason = finding?.slice(4) ?? 'they contradict each other'
    throw new RangeError(`its ${files.length} files cannot be bundled: ${reason}`)
  })
}

/**
 * Reads a contract and all files that it refers to. Other programs get only copies of these files, so a contract cannot make them
 * read other files, send requests, or run code.
 *
 * @returns the contract, then the other files. `path` is a relative path for a copy, with the name of the file and the ending `.json`.
 *   `document` is the content without control characters; each reference is local, or names a copy relative to this one
 * @throws RangeError with a clause if a file does not parse or is too large, or if a reference does not resolve to a part of a YAML
 *   or JSON file in the folder of the contract
 */
function readFiles(path: string) {
  const files = [realpathSync(path)]
  const folder = realpathSync(dirname(resolve(path)))
  const documents: unknown[] = []
  const pathOf = (index: number) => {
    const file = String(files[index])
    return `${index}/${basename(file, extname(file)).replace(/[^\w-]+/g, '_')}.json`
  }
  const references: { readonly text: string; readonly index: number; readonly fragment: string }[] = []
  let bytes = 0
  let values = 0

  /** Returns the reference between the copies that replaces a reference of a file. */
  const toCopy = (text: string, from: number): string => {
    const [target, fragment] = text.split(/#(.*)/s)
    const file = target ? localFile(text, target, dirname(String(files[from])), folder) : String(files[from])
    if (!files.includes(file)) files.push(file)
    const index = files.indexOf(file)
    references.push({ text, index, fragment: fragment ?? '' })
    return target ? `../${pathOf(index)}${fragment === undefined ? '' : `#${fragment}`}` : text
  }
  const copy = (node: unknown, from: number, depth: number, parent: string): unknown => {
    if (++values > maxValues) throw new RangeError(`it has more than ${maxValues} values`)
    if (depth > maxDepth) throw new RangeError('it is nested too deeply')
    if (typeof node === 'string') return withoutControls(node)
    if (Array.isArray(node)) return node.map((member) => copy(member, from, depth + 1, ''))
    if (!isRecord(node)) return node
    const entries = Object.entries(node).flatMap(([rawKey, value]): [string, unknown][] => {
      const key = withoutControls(rawKey)
      const place = parent === 'discriminator' && key === 'mapping' ? 'names' : key
      if (typeof value !== 'string') return [[key, copy(value, from, depth + 1, place)]]
      if (ignored.has(key)) return []
      const text = withoutControls(value)
      // The mapping of a discriminator has names of schemas, or references.
      const isReference = key === '$ref' || (parent === 'names' && /[/#]|\.(json|ya?ml)$/.test(text))
      return [[key, isReference ? toCopy(text, from) : text]]
    })
    return Object.fromEntries(entries)
  }
  for (let index = 0; index < files.length; index++) {
    const file = String(files[index])
    const what = index === 0 ? 'it' : JSON.stringify(file.slice(folder.length + 1))
    bytes += orRefuse(() => statSync(file).size, `${what} cannot be read`)
    if (bytes > maxBytes) throw new RangeError(`it has more than ${maxBytes >> 20} MiB`)
    const text = orRefuse(() => readFileSync(file, 'utf8'), `${what} cannot be read`)
    documents.push(copy(parseText(text, what), index, 0, ''))
  }
  for (const { text, index, fragment } of references) {
    const message = `the reference ${JSON.stringify(text)} does not resolve`
    const node = orRefuse(() => lookUp(toRecord(documents[index]), `#${fragment}`), message)
    if (node === undefined || !/^(\/|$)/.test(fragment)) throw new RangeError(message)
  }
  return documents.map((document, index) => ({ path: pathOf(index), document }))
}

/** Returns the result of `use`. If `use` throws, throws a RangeError with the message instead. */
function orRefuse<T>(use: () => T, message: string): T {
  try {
    return use()
  } catch {
    throw new RangeError(message)
  }
}

/** Returns the file of a reference. It is in the folder of the contract, also after symbolic links are followed. */
function localFile(reference: string, encoded: string, from: string, folder: string): string {
  const subject = `the reference ${JSON.stringify(reference)}`
  const missing = `${subject} does not resolve`
  const target = orRefuse(() => decodeURIComponent(encoded), missing)
  if (/^([a-z][a-z\d+.-]*:|[/\\])/i.test(target))
    throw new RangeError(`${subject} is not the relative path of a file next to it`)
  const file = resolve(from, target)
  if (!/\.(json|ya?ml)$/i.test(file)) throw new RangeError(`${subject} is not the name of a YAML or JSON file`)
  const real = orRefuse(() => realpathSync(file), missing)
  if (!real.startsWith(folder + sep)) throw new RangeError(`${subject} leaves the folder of the contract`)
  if (!statSync(real).isFile()) throw new RangeError(missing)
  return real
}

/**
 * Parses YAML 1.2 or JSON.
 *
 * @param what the subject of the message: the file
 */
function parseText(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It is YAML, or its error has a better message there.
  }
  try {
    // The check of the library compares each key with each other one, which takes minutes for large files.
    const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' })
    const [error] = document.errors
    if (error) throw error
    let aliases = 0
    visit(document, {
      Map(_, { items }) {
        const keys = new Set(items.map(({ key }) => String(key)))
        if (keys.size < items.length) throw new RangeError('an object states a key twice')
        if (keys.has('<<')) throw new RangeError('a key << is of YAML 1.1')
      },
      Alias() {
        if (++aliases > maxAliases) throw new RangeError(`it has more than ${maxAliases} aliases`)
      },
    })
    return document.toJS()
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split(/:?\n/)
    if (/call stack/.test(sentence)) throw new RangeError(`${what} is nested too deeply`)
    throw new RangeError(`${what} is not valid YAML or JSON: ${sentence}`)
  }
}
