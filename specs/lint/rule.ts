/** The parts of Redocly's plugin interface that are used here; its command line ships no types. */

export interface Location {
  readonly source: { readonly absoluteRef: string; readonly body: string }
  /** Where the place is in its file, for example `#/watermark/delete`. */
  readonly pointer: string
  child(path: string | number | readonly (string | number)[]): Location
  /** The key itself instead of what stands under it. */
  key(): Location
}

export interface Context {
  readonly location: Location
  /** The key or index under which the visited node stands in its parent. */
  readonly key: string | number
  readonly type: NodeType
  report(problem: { readonly message: string; readonly location: Location }): void
}

/** Called with a node of the type that the visitor's key names, as parsed and with references resolved. */
export type Visit<Node> = (node: Node, context: Context) => void

/** Node type, for example `Operation`, to what is done there. */
export type Visitor = Readonly<Record<string, Visit<never> | { enter?: Visit<never>; leave?: Visit<never> }>>

/** A rule is made anew for each linted file, so what it remembers belongs to that file. */
export type Rule = () => Visitor

/** How a property of a node looks: a named node type, or a plain value. */
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
