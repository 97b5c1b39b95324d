/** Formats values and texts of a target for the reports. */

import { contracts, operations } from '@cdn/api/contract'
import { cleanLines } from '@cdn/kit/text'
import { hourMs } from '@cdn/kit/time'
import type { RequirementResult } from './report-model.ts'

/**
 * Prepares a text for one cell or line. Characters that could control a terminal become escapes. Line breaks and tabs
 * become spaces. The text is truncated to `max` code points.
 */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const flat = cleanLines(text.replace(/\s+/gu, ' ')).trim()
  if (flat.length <= max) return flat
  const characters = [...flat]
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`
}

/** Breaks up text that GitHub Actions would run as a command of a workflow: `##[...]` and `::...::`, anywhere in a line. */
export function withoutWorkflowCommands(text: string): string {
  return text.replaceAll('##[', '# #[').replace(/:(?=:)/g, ': ')
}

/** Formats a duration in ms: `840 ms`, `12.3 s`, `4 min 5 s`, `36.0 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  if (ms >= hourMs) return `${(ms / hourMs).toFixed(1)} h`
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

/** Formats a point in time to the minute: `2026-01-02 03:04 UTC`. */
export function minuteText(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

/** Formats a day: `25 Nov 2026`. */
export function dayText(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/**
 * Returns the operation of a cause for readers: `DELETE /videolibrary/{id}/watermark`, or if it has several, a phrase such as
 * `Several logging operations`.
 */
export function operationText(operation: string): string {
  const [of, name] = operation.split('.')
  const known = operations.find((one) => one.interface === of && one.name === name)
  if (known) return `${known.method.toUpperCase()} ${known.path}`
  if (operation === '*') return 'Several operations'
  return `Several ${of} operations`
}

/** Writes an ordinal number: `1st`, `2nd`, `3rd`, `4th`. */
export function ordinal(count: number): string {
  const rest = count % 100
  const end = rest > 10 && rest < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${end}`
}

/** Maximum length of a text in Markdown, in code points. */
const maxText = 400

/**
 * Breaks up mentions, references to issues and commits, and links with an invisible character (U+2060). Escapes do not help, because
 * receivers undo them before they look for links.
 */
export function withoutLinks(text: string): string {
  return text
    .replace(/[@#]|\bGH-(?=\d)|:(?=\/\/)|\bwww(?=\.)|\bmailto(?=:)/gi, '$&\u2060')
    .replace(/\b[\da-f]{7,}\b/gi, (word) => (/[a-f]/i.test(word) ? word.replace(/.{6}(?=.)/g, '$&\u2060') : word))
}

/** Escapes a text, so that Markdown, HTML and GitHub's extensions (mentions, links, formulas) do not interpret it. */
export function escapeMarkdown(text: string): string {
  return withoutLinks(oneLine(text, maxText))
    .replace(/[\\`*_[\]()#!~]/g, '\\$&')
    .replace(/[&<>|@$]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Shows an id as a code span. Code spans have no escapes, so special characters are replaced. */
export function codeSpan(id: string): string {
  return `\`${oneLine(id, maxText).replace(/[`|<>\\]/g, '·')}\``
}
