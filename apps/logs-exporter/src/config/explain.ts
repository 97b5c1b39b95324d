import { decodeStep } from '@cdn/kit/reference'
import type { ErrorObject } from 'ajv'
import { type Document, isMap, isNode, isScalar, type LineCounter, type Node } from 'yaml'

export interface Mistake {
  readonly line: number
  readonly sentence: string
}

/**
 * Describes a schema error: the line, and what would be right.
 *
 * @param error from ajv with `verbose`
 * @param document the checked YAML
 * @param lines line counter of the document
 * @returns a sentence; if the wrong value may be a secret, the sentence omits it
 */
export function explainMistake(error: ErrorObject, document: Document, lines: LineCounter): Mistake {
  const path = error.instancePath.split('/').slice(1).map(decodeStep)
  const name = nameOf(path)
  const at = (node: unknown) => lineOf(node, lines)
  const here = path.length > 0 ? document.getIn(path, true) : document.contents
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params['additionalProperty'])
      const known = Object.keys(error.parentSchema?.['properties']).join(', ')
      return {
        line: at(keyNode(here, key)),
        sentence: `${nameOf([...path, key])} is not a setting; expected ${known}.`,
      }
    }
    case 'required':
      return { line: at(here), sentence: `${nameOf([...path, String(error.params['missingProperty'])])} is missing.` }
    default: {
      const right: string | undefined = error.parentSchema?.['description'] ?? error.message
      return { line: at(here), sentence: `${name} must be ${right}${shown(here, path)}.` }
    }
  }
}

/** The line of a node in a document. If `node` is something else, the first line. */
export function lineOf(node: unknown, lines: LineCounter): number {
  return lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0).line
}

/** The wrong value, if it is short and cannot be a secret. Users sometimes write a secret where its place is expected. */
function shown(node: unknown, path: readonly string[]): string {
  const isSafe =
    path.length > 0 && !path.some((part) => /key|secret|token|bearer|postgres|url|headers|endpoint/i.test(part))
  if (!isSafe || !isScalar(node)) return ''
  const text = typeof node.value === 'string' ? JSON.stringify(node.value) : (node.source ?? String(node.value))
  return `, not ${text.slice(0, 80)}`
}

function keyNode(node: unknown, key: string): Node | undefined {
  if (!isMap(node)) return isNode(node) ? node : undefined
  const match = node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key
  return isNode(match) ? match : node
}

/** The name of a setting in messages, such as `sink.path` or `zones[2]`. */
function nameOf(path: readonly string[]): string {
  if (path.length === 0) return 'The configuration'
  return path
    .map((part, n) => (/^\d+$/.test(part) ? `[${part}]` : `${n === 0 ? '' : '.'}${part}`))
    .join('')
    .replaceAll(/\s+/g, ' ')
}
