import { defined } from '@cdn/kit/defined'

/**
 * Writes out characters that a terminal or browser would interpret: control characters, direction marks, invisible
 * characters, lone surrogates. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${defined(character.codePointAt(0)).toString(16)}}`
  })
}

/** Text for one cell or line: visible, with spaces for line breaks and tabs, truncated after `max` code points. */
export function cellLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const flat = visible(text.replace(/\s+/gu, ' ')).trim()
  if (flat.length <= max) return flat
  const characters = [...flat]
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`
}

/** A duration in ms as text: `840 ms`, `12.3 s`, `4 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
