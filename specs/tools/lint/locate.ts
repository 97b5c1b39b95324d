/** Finds the line of a place of the contract in the YAML files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeStep } from '@cdn/kit/reference'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'

/** A place in a file of an interface. */
export interface FilePlace {
  /** Path of the file, relative to the folder of the specs. */
  readonly file: string
  /** Line, from 1. */
  readonly line: number
  /** Number of steps that lead to the place. */
  readonly depth: number
}

/**
 * Creates a function that finds places of a bundled document in the files it is made of. A step that is missing leads to the nearest
 * place above it.
 *
 * @param folder the folder of the specs
 * @param name the interface
 */
export function locator(folder: string, name: string): (at: readonly (string | number)[]) => FilePlace {
  const files = new Map(
    readdirSync(join(folder, name))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => {
        const lines = new LineCounter()
        return [
          file,
          { lines, root: parseDocument(readFileSync(join(folder, name, file), 'utf8'), { lineCounter: lines }) },
        ]
      }),
  )
  /** Each schema of an area is in the file of the area. */
  const ownerOf = (at: readonly (string | number)[]) =>
    at[0] === 'components' ? [...files.keys()].find((file) => files.get(file)?.root.hasIn(at.slice(0, 3))) : undefined

  return (at) => {
    let file = ownerOf(at) ?? 'openapi.yaml'
    let node: unknown = files.get(file)?.root.contents
    let offset = 0
    let depth = 0
    for (const step of at) {
      const target = referenceOf(node)
      if (target !== undefined) {
        const [path = '', pointer = ''] = target.split('#')
        file = path === '' ? file : path.replace(/^\.\//, '')
        const steps = pointer.split('/').slice(1).map(decodeStep)
        node = files.get(file)?.root.getIn(steps, true)
        offset = (node as Node | undefined)?.range?.[0] ?? 0
      }
      if (isSeq(node)) {
        node = node.items[Number(step)]
        offset = (node as Node | undefined)?.range?.[0] ?? offset
      } else {
        const pair = isMap(node)
          ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
          : undefined
        if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset
        node = pair?.value
      }
      if (node === undefined) break
      depth++
    }
    const line = files.get(file)?.lines.linePos(offset).line ?? 1
    return { file: join(name, file), line, depth }
  }
}

function referenceOf(node: unknown): string | undefined {
  const reference = isMap(node) ? node.get('$ref') : undefined
  return typeof reference === 'string' ? reference : undefined
}

/**
 * Creates a function that finds the action of an overlay that states a place of the contract, as far as the overlay states it.
 *
 * @param folder the folder of the specs
 * @param name the interface
 */
export function overlayLocator(folder: string, name: string): (at: readonly (string | number)[]) => FilePlace {
  const file = join(name, 'supplement.overlay.yaml')
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(join(folder, file), 'utf8'), { lineCounter: lines })
  const actions = document.get('actions')
  const all = isSeq(actions) ? actions.items.filter(isMap) : []
  return (at) => {
    let found = { offset: 0, depth: 0 }
    for (const action of all) {
      const target = targetSteps(String(action.get('target')))
      if (target.some((step, index) => step !== undefined && step !== String(at[index]))) continue
      let node = action.get('update')
      let [offset, depth] = [action.range?.[0] ?? 0, target.length]
      for (const step of at.slice(target.length)) {
        const pair = isMap(node)
          ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
          : undefined
        if (!pair || !isScalar(pair.key)) break
        offset = pair.key.range?.[0] ?? offset
        node = pair.value
        depth++
      }
      if (depth >= found.depth && depth > target.length) found = { offset, depth }
    }
    return { file, line: lines.linePos(found.offset).line, depth: found.depth }
  }
}

/** The steps of a JSONPath; undefined for a step that may lead to several places. */
function targetSteps(path: string): (string | undefined)[] {
  const steps = path.matchAll(/\.([\w-]+)|\['([^']+)'\]|\[(?:\*|\?\(.*?\))\]/g)
  return [...steps].map(([, name, quoted]) => name ?? quoted)
}

/**
 * Finds the line of a statement or of an operation, in the files of an interface.
 *
 * @param folder the folder of the specs
 * @param name the interface
 * @param wanted the key and value that identify it, such as `{ id: 'management.get-pull-zone.200' }`
 */
export function locateStatement(
  folder: string,
  name: string,
  wanted: Readonly<Record<string, string>>,
): { readonly file: string; readonly line: number } {
  const [[key, value] = []] = Object.entries(wanted)
  for (const file of readdirSync(join(folder, name)).filter((each) => each.endsWith('.yaml'))) {
    const lines = new LineCounter()
    const document = parseDocument(readFileSync(join(folder, name, file), 'utf8'), { lineCounter: lines })
    let offset: number | undefined
    visit(document, {
      Pair(_, pair) {
        if (!isScalar(pair.key) || pair.key.value !== key || !isScalar(pair.value) || pair.value.value !== value) return
        offset ??= pair.value.range?.[0]
      },
    })
    if (offset !== undefined) return { file: join(name, file), line: lines.linePos(offset).line }
  }
  return { file: join(name, 'openapi.yaml'), line: 1 }
}
