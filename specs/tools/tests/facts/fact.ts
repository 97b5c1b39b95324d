import type { InterfaceName } from '../../bundle.ts'

/** The place exists, with any value: the key itself is the fact. */
export const present = Symbol('present')
/** The place does not exist: the spec excludes it or leaves the point open. */
export const absent = Symbol('absent')

/** One fact of the spec and its place in the contract. */
export interface Fact {
  /** Section of the spec. */
  readonly section: string
  readonly interface: InterfaceName
  /**
   * JSON pointer into the bundled layer `spec`. A step into a list is the `id` or `name` of the element, so that a row does
   * not depend on the order. If the element has neither, the step is its index.
   */
  readonly at: string
  /** The value at that place, compared deeply. */
  readonly value: unknown
}

/** Joins steps to a JSON pointer (RFC 6901). */
export function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Creates facts of one section whose pointers have the same prefix. */
export function facts(
  section: string,
  name: InterfaceName,
  under: string,
  rows: Readonly<Record<string, unknown>>,
): Fact[] {
  return Object.entries(rows).map(([at, value]) => ({ section, interface: name, at: under + at, value }))
}

/** Creates the facts of a list in the order of the spec: one for the whole list, and one for each element. */
export function listFact(section: string, name: InterfaceName, at: string, values: readonly string[]): Fact[] {
  const rows = [['', values], ...values.map((value, index) => [`/${index}`, value])]
  return facts(section, name, at, Object.fromEntries(rows))
}

/**
 * Creates the facts of requirements or unspecified points, each with its section.
 *
 * @param list the steps to the list, `x-requirements` or `x-unspecified`
 * @param prefix the middle part of the ids with its dot, for example `delete-watermark.`; empty at the root
 * @param sections the rest of the ids, by section
 */
export function entries(
  name: InterfaceName,
  list: readonly string[],
  prefix: string,
  sections: Readonly<Record<string, readonly string[]>>,
): Fact[] {
  return Object.entries(sections).flatMap(([section, ids]) =>
    ids.flatMap((id) =>
      facts(section, name, pointer(...list, `${name}.${prefix}${id}`), { '': present, '/section': section }),
    ),
  )
}
