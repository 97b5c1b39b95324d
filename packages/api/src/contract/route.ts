import { assertDefined } from '@cdn/kit/assert-defined'
import type { InterfaceName, Operation } from './model.ts'

/** Result of routing a method and a path. */
export type Route =
  /** `parameters` holds the path parameters as sent, percent-encoded. */
  | { readonly operation: Operation; readonly parameters: Readonly<Record<string, string>> }
  /** The path exists, but only with these methods (upper case). */
  | { readonly allow: readonly string[] }
  | undefined

interface Template {
  readonly operation: Operation
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** Finds the operation of a request. If two templates match, the template with more literal text wins. */
export type Router = (name: InterfaceName, method: string, path: string) => Route

/**
 * Creates a router for operations.
 *
 * @param ignoresCase whether the literal text of a path may have another case
 * @returns a function with the parameters interface, method in upper case, and path as sent, without base path and query
 */
export function createRouter(operations: readonly Operation[], ignoresCase = false): Router {
  const flags = ignoresCase ? 'i' : ''
  const templates = operations
    .map((each) => toTemplate(each, flags))
    .sort((a, b) => literalLength(b.operation) - literalLength(a.operation))
  return (name, method, path) => {
    const allow: string[] = []
    for (const { operation, pattern, names } of templates) {
      const match = operation.interface === name ? pattern.exec(path) : null
      if (!match) continue
      if (operation.method.toUpperCase() === method) {
        const parameters = names.map((key, index) => [key, assertDefined(match[index + 1])])
        return { operation, parameters: Object.fromEntries(parameters) }
      }
      allow.push(operation.method.toUpperCase())
    }
    return allow.length > 0 ? { allow } : undefined
  }
}

/** A parameter may share a segment with literal text, as in `/{date}/{pullZoneId}.log`. */
function toTemplate(operation: Operation, flags: string): Template {
  const names: string[] = []
  const pattern = pathPattern(operation.path, (name) => {
    names.push(name)
    return '([^/]+)'
  })
  return { operation, pattern: new RegExp(`^${pattern}$`, flags), names }
}

/** Returns the source of a regular expression that matches a path template. @param ofParameter returns the part that matches a parameter */
export function pathPattern(path: string, ofParameter: (name: string) => string): string {
  const parts = path.split(/\{([^{}]+)\}/) // literal texts, and between them the names of the parameters
  return parts
    .map((part, n) => (n % 2 === 1 ? ofParameter(part) : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('')
}

function literalLength(operation: Operation): number {
  return operation.path.replaceAll(/\{[^{}]+\}/g, '').length
}
