/** Finds the line of a place of the contract in the YAML files. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { decodeStep } from '@cdn/kit/reference'
import { isMap, isScalar, isSeq, visit } from 'yaml'
import type { Steps } from '../spec-text/document-operations.ts'
import { offsetOf, pairOf, readYaml } from './yaml-file.ts'

/** A place in a file of an interface. */
export interface FilePlace {
  /** Path of the file, relative to the folder of the specs. */
  readonly file: string
  /** Line, from 1. */
  readonly line: number
  /** Number of steps that lead to the place. */
  readonly depth: number
}

/** Reads the YAML files of an interface, by name. */
function readFiles(folder: string, name: string) {
  const files = readdirSync(join(folder, name)).filter((file) => file.endsWith('.yaml'))
  return new Map(files.map((file) => [file, readYaml(join(folder, name, file))]))
}

/**
 * Creates a function that finds places of a bundled document in the files it is made of. A step that is missing leads to the nearest
 * place above it.
 *
 * @param folder the folder of the specs
 * @param name the interface
 */
export function locator(folder: string, name: string): (at: Steps) => FilePlace {
  const files = readFiles(folder, name)
  /** Returns the file of a component, because the schemas of an area are in the file of the area. */
  const ownerOf = (at: Steps) =>
    at[0] === 'components'
      ? [...files.keys()].find((file) => files.get(file)?.document.hasIn(at.slice(0, 3)))
      : undefined

  return (at) => {
    let file = ownerOf(at) ?? 'openapi.yaml'
    let node: unknown = files.get(file)?.document.contents
    let offset = 0
    let depth = 0
    for (const step of at) {
      const target = referenceOf(node)
      if (target !== undefined) {
        const [path = '', pointer = ''] = target.split('#')
        file = path === '' ? file : path.replace(/^\.\//, '')
        const steps = pointer.split('/').slice(1).map(decodeStep)
        node = files.get(file)?.document.getIn(steps, true)
        offset = offsetOf(node) ?? 0
      }
      const pair = pairOf(node, step)
      node = isSeq(node) ? node.items[Number(step)] : pair?.value
      offset = offsetOf(pair?.key ?? node) ?? offset
      if (node === undefined) break
      depth++
    }
    return { file: join(name, file), line: files.get(file)?.lineAt(offset) ?? 1, depth }
  }
}

function referenceOf(node: unknown): string | undefined {
  const reference = isMap(node) ? node.get('$ref') : undefined
  return typeof reference === 'string' ? reference : undefined
}

/**
 * Creates a function that finds a place of the contract in an overlay: the place itself, or the nearest place above it that an action
 * states.
 *
 * @param folder the folder of the specs
 * @param name the interface
 */
export function overlayLocator(folder: string, name: string): (at: Steps) => FilePlace {
  const file = join(name, 'supplement.overlay.yaml')
  const { document, lineAt } = readYaml(join(folder, file))
  const actions = document.get('actions')
  const all = isSeq(actions) ? actions.items.filter(isMap) : []
  return (at) => {
    let found = { offset: 0, depth: 0 }
    for (const action of all) {
      const target = targetSteps(String(action.get('target')))
      if (target.some((step, index) => step !== undefined && step !== String(at[index]))) continue
      let node = action.get('update')
      let [offset, depth] = [0, target.length]
      for (const step of at.slice(target.length)) {
        const pair = pairOf(node, step)
        if (!pair) break
        offset = offsetOf(pair.key) ?? offset
        node = pair.value
        depth++
      }
      if (depth >= found.depth && depth > target.length) found = { offset, depth }
    }
    return { file, line: lineAt(found.offset), depth: found.depth }
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
 * @param about the id of the statement, such as `management.get-pull-zone.200`, or the `x-name` of the operation
 */
export function locateStatement(folder: string, name: string, about: string): Pick<FilePlace, 'file' | 'line'> {
  for (const [file, { document, lineAt }] of readFiles(folder, name)) {
    let offset: number | undefined
    visit(document, {
      Pair(_, { key, value }) {
        if (isScalar(key) && /^(?:id|x-name)$/.test(String(key.value)) && isScalar(value) && value.value === about)
          offset ??= offsetOf(value)
      },
    })
    if (offset !== undefined) return { file: join(name, file), line: lineAt(offset) }
  }
  return { file: join(name, 'openapi.yaml'), line: 1 }
}
