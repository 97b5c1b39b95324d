/** The parts of Redocly's plugin interface that we use; Redocly ships no types for them. */

export interface Location {
  readonly source: { readonly absoluteRef: string; readonly body: string }
  /** The place in its file, for example `#/watermark/delete`. */
  readonly pointer: string
  child(path: string | number | readonly (string | number)[]): Location
  /** Returns the place of the key instead of the place of the value. */
  key(): Location
}

export interface RuleContext {
  readonly location: Location
  /** Key or index of the visited node in its parent. */
  readonly key: string | number
  readonly type: NodeType
  report(problem: { readonly message: string; readonly location: Location }): void
}

/**
 * Called with a parsed node of the type that the visitor's key names. A visited node is never a reference, except for the key
 * `ref`: its function gets each reference and its target.
 */
export type Visit<Node> = (node: Node, context: RuleContext, resolved: { readonly node: unknown }) => void

/** Functions by node type, for example `Operation`. */
export type Visitor = Readonly<Record<string, Visit<never> | { enter?: Visit<never>; leave?: Visit<never> }>>

/** Redocly calls this function for each linted file, so the state of a rule belongs to one file. */
export type Rule = () => Visitor

/** The type of a property: a named node type or a plain value. */
export type PropertyType =
  | string
  | null
  | { readonly type?: string; readonly enum?: readonly string[]; readonly items?: unknown; readonly minimum?: number }
  | ((value: unknown) => PropertyType)

export interface NodeType {
  readonly name?: string
  readonly properties: Readonly<Record<string, PropertyType>>
  /** The type of keys that `properties` lacks, or a function that returns it; undefined if there is none. */
  readonly additionalProperties?: unknown
  readonly required?: unknown
  readonly requiredOneOf?: readonly string[]
  readonly items?: PropertyType
}

export type NodeTypes = Readonly<Record<string, NodeType>>
