import { cleanLines } from '@cdn/kit/text'

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

/** Formats a duration in ms: `840 ms`, `12.3 s`, `4 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
