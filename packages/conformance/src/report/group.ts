import { contracts } from '@cdn/api/contract'
import type { RequirementResult } from './model.ts'

export interface AreaGroup {
  readonly area: string
  /** Ordered by section, then in the order of the report. */
  readonly requirements: readonly RequirementResult[]
}

/** Groups requirements by area. Areas are in the order of their first requirement. */
export function groupByArea(requirements: readonly RequirementResult[]): AreaGroup[] {
  return [...Map.groupBy(requirements, ({ area }) => area)].map(([area, members]) => ({
    area,
    requirements: members.toSorted((one, other) => compareSections(one.section, other.section)),
  }))
}

/** Returns the label of a section: `§4.1` for a section of the spec, otherwise the heading of the supplement's fact. */
export function sectionLabel(section: string): string {
  return isNumbered(section) ? `§${section}` : section
}

/** Returns the chapter of a numbered section, such as `4` for `4.1`; `undefined` for a heading of the supplement. */
export function chapterOf(section: string): string | undefined {
  return isNumbered(section) ? section.split('.')[0] : undefined
}

/** Returns the names of the areas for which the spec shows no operation. */
export function areasUnspecified(): string[] {
  return Object.values(contracts).flatMap(({ areas }) =>
    areas.filter((area) => area.unspecified).map(({ name }) => name),
  )
}

/** Sorts numbered sections in the order of the spec, then headings in alphabetical order. */
function compareSections(one: string, other: string): number {
  if (isNumbered(one) !== isNumbered(other)) return isNumbered(one) ? -1 : 1
  return one.localeCompare(other, 'en', { numeric: true })
}

function isNumbered(section: string): boolean {
  return /^\d+(\.\d+)*$/.test(section)
}
