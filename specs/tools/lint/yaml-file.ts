import { readFileSync } from 'node:fs'
import { isMap, isScalar, LineCounter, type Pair, parseDocument, type Scalar } from 'yaml'

/** Parses a YAML file. `lineAt` returns the line of an offset, from 1. */
export function readYaml(file: string) {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines })
  return { document, lineAt: (offset: number): number => lines.linePos(offset).line }
}

/** Returns the offset of a node or key. */
export function offsetOf(node: unknown): number | undefined {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null }
  return range?.[0]
}

/** Returns the pair of a map that has a key. */
export function pairOf(node: unknown, key: string | number): (Pair & { readonly key: Scalar }) | undefined {
  const pairs = isMap(node) ? node.items : []
  return pairs.find(
    (pair): pair is Pair & { key: Scalar } => isScalar(pair.key) && String(pair.key.value) === String(key),
  )
}
