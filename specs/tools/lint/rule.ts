/** The parts of Redocly's plugin interface that we use; Redocly ships no types for them. */

export interface Location {
  readonly source: { readonly absoluteRef: string; readonly body: string }
  /** The place in its file, for example `#/watermark/delete`. */
  readonly pointer: string
  child(path: string | number | readonly (string | number)[]): Location
  /** The place of the key instead of its value. */
  key(): Location
}

export interface RuleContext {
  readonly location: Location
  /** Key or index of the visited node in its parent. */
  readonly key: string | number
  readonly type: NodeType
  report(problem: { readonly message: string; readonly location: Location }): void
}

/** Called with a node of the type that the visitor's key names, parsed and with references resolved. */
export type Visit<Node> = (node: Node, context: RuleContext) => void

/** Functions by node type, for example `Operation`. */
export type Visitor = Readonly<Record<string, Visit<never> | { enter?: Visit<never>; leave?: Visit<never> }>>

/** Redocly creates a rule for each linted file, so its state belongs to that file. */
export type Rule = () => Visitor

/** The type of a property: a named node type or a plain value. */
export type PropertyType =
  | string
  | null
  | { readonly type?: string; readonly enum?: readonly string[]; readonly items?: unknown; readonly minimum?: number }

export interface NodeType {
  readonly name?: string
  readonly properties: Readonly<Record<string, PropertyType>>
  readonly required?: unknown
  readonly items?: PropertyType
}

export type NodeTypes = Readonly<Record<string, NodeType>>
