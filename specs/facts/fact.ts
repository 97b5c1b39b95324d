import type { Interface } from '../bundle.ts'

/** Something stands there, whatever it holds: the key itself is the fact. */
export const present = Symbol('present')
/** Nothing stands there: the source document says so, or leaves the point open. */
export const absent = Symbol('absent')

/** One fact of the source document and where the contract states it. */
export interface Fact {
  /** Section of the source document. */
  readonly section: string
  readonly interface: Interface
  /**
   * JSON pointer into the bundled document layer. A step into a list is the `id` or the `name` of the element where it has
   * one, so that a row does not depend on the order of requirements, parameters and tags; else the index.
   */
  readonly at: string
  /** The value that stands there, compared deeply. */
  readonly value: unknown
}

/** Joins steps to a JSON pointer (RFC 6901). */
export function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Facts of one section whose pointers begin alike. */
export function facts(
  section: string,
  name: Interface,
  under: string,
  rows: Readonly<Record<string, unknown>>,
): Fact[] {
  return Object.entries(rows).map(([at, value]) => ({ section, interface: name, at: under + at, value }))
}

/** A list whose order is the document's: the list as a whole, and each element by itself. */
export function list(section: string, name: Interface, at: string, values: readonly string[]): Fact[] {
  const rows = [['', values], ...values.map((value, index) => [`/${index}`, value])]
  return facts(section, name, at, Object.fromEntries(rows))
}

/**
 * Requirements or open points, each with its section.
 *
 * @param key which list
 * @param place the steps to what the list stands on; none for the interface as a whole
 * @param prefix what the ids have between the interface and the slug, for example `delete-watermark.`
 * @param sections section to slugs, or at the root to ids without the interface
 */
export function entries(
  key: 'x-requirements' | 'x-not-shown',
  name: Interface,
  place: readonly string[],
  prefix: string,
  sections: Readonly<Record<string, readonly string[]>>,
): Fact[] {
  return Object.entries(sections).flatMap(([section, ids]) =>
    ids.flatMap((id) =>
      facts(section, name, pointer(...place, key, `${name}.${prefix}${id}`), { '': present, '/section': section }),
    ),
  )
}
