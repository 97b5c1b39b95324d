/** How the reports write values and texts of a target. */
import { contracts } from '@cdn/api/contract'
import { cleanLines } from '@cdn/kit/text'
import type { RequirementResult, Transition, TransitionKind } from './model.ts'

/**
 * Prepares a text for one cell or line. Characters that could control a terminal become escapes. Line breaks and tabs
 * become spaces. The text is truncated to `max` code points.
 */
export function cellLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const flat = cleanLines(text.replace(/\s+/gu, ' ')).trim()
  if (flat.length <= max) return flat
  const characters = [...flat]
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`
}

/** Breaks up what GitHub Actions would run as a command of a workflow: `##[...]` and `::...::`, anywhere in a line. */
export function withoutWorkflowCommands(text: string): string {
  return text.replaceAll('##[', '# #[').replace(/:(?=:)/g, ': ')
}

/** Returns a number with its noun: `1 check`, `2 checks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a duration in ms: `840 ms`, `12.3 s`, `4 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Returns the label of a section: `§4.1` for a section of the spec, otherwise the heading of the supplement's fact. */
export function sectionLabel(section: string): string {
  return /^\d+(\.\d+)*$/.test(section) ? `§${section}` : section
}

/** Groups requirements by area, in the order of the first requirement. In an area, the sections of the spec come first. */
export function groupByArea(requirements: readonly RequirementResult[]): [string, readonly RequirementResult[]][] {
  return [...Map.groupBy(requirements, ({ area }) => area)].map(([area, members]) => [
    area,
    members.toSorted((one, other) => compareLabels(sectionLabel(one.section), sectionLabel(other.section))),
  ])
}

/** Compares labels of sections, for sorting: `§` comes before any letter. */
export function compareLabels(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}

/** The areas for which the spec shows no operation. */
export const areasUnspecified = Object.values(contracts)
  .flatMap(({ areas }) => areas.filter((area) => area.unspecified).map(({ name }) => name))
  .join(', ')

/** Heading of each kind of transition, in the order of reports. */
export const transitionTitles: Readonly<Record<TransitionKind, string>> = {
  failing: 'Newly failing',
  flaky: 'Fails again (flaky)',
  undecided: 'Newly undecided',
  fixed: 'Fixed',
  drift: 'Newly different from the baseline',
}

/** Heading of what changed. */
export function changesTitle(lastNight: string | undefined): string {
  return lastNight === undefined ? 'The first night of this target' : `Changes since ${minuteText(lastNight)}`
}

/** Formats a point in time to the minute: `2026-01-02 03:04 UTC`. */
export function minuteText(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

/** What is known about the time of a transition; empty if nothing is. */
export function timesText({ kind, firstFailed, lastPassed }: Transition): string {
  const failed = firstFailed && `${kind === 'fixed' ? 'failed since' : 'first failed'} ${minuteText(firstFailed)}`
  return [failed, lastPassed && `last passed ${minuteText(lastPassed)}`].filter((part) => part).join(', ')
}
