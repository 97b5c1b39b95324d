import { contracts } from '@cdn/api/contract'
import type { RequirementResult } from './model.ts'

export interface AreaGroup {
  readonly area: string
  /** By section; where sections are equal, in the order of the report. */
  readonly requirements: readonly RequirementResult[]
}

/** Requirements by area, areas in the order in which they first appear. */
export function groupByArea(requirements: readonly RequirementResult[]): AreaGroup[] {
  return [...Map.groupBy(requirements, ({ area }) => area)].map(([area, members]) => ({
    area,
    requirements: members.toSorted((one, other) => compareSections(one.section, other.section)),
  }))
}

/** How a section reads: `§4.1` for one of the document, the heading as it is for a supplement's fact. */
export function sectionLabel(section: string): string {
  return isNumbered(section) ? `§${section}` : section
}

/** The chapter of a numbered section (`4` of `4.1`); `undefined` for a supplement's heading. */
export function chapterOf(section: string): string | undefined {
  return isNumbered(section) ? section.split('.')[0] : undefined
}

/** The areas of which the document shows no operation. */
export function areasNotShown(): string[] {
  return Object.values(contracts).flatMap(({ areas }) => areas.filter((area) => area.notShown).map(({ name }) => name))
}

/** Numbered sections in the order of the document, then headings by the alphabet. */
function compareSections(one: string, other: string): number {
  if (isNumbered(one) !== isNumbered(other)) return isNumbered(one) ? -1 : 1
  return one.localeCompare(other, 'en', { numeric: true })
}

function isNumbered(section: string): boolean {
  return /^\d+(\.\d+)*$/.test(section)
}
