import { assertDefined } from '@cdn/kit/assert-defined'
import { eastAsianWidth } from 'get-east-asian-width'

const plain = /^[\x20-\x7e]*$/

/** Unicode tables. They are loaded on demand: creating them takes 30 ms, as long as the start of the program. */
let unicode: { readonly segmenter: Intl.Segmenter; readonly invisible: RegExp; readonly emoji: RegExp } | undefined

function unicodeTables() {
  unicode ??= {
    segmenter: new Intl.Segmenter(),
    invisible: /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Mark}\p{Surrogate}]*$/v,
    emoji: /^\p{RGI_Emoji}$/v,
  }
  return unicode
}

function lettersOf(text: string): readonly string[] {
  return plain.test(text) ? [...text] : [...unicodeTables().segmenter.segment(text)].map(({ segment }) => segment)
}

/** The width of a sanitized text on a terminal, in columns. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  return lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0)
}

/** Counts columns like terminals do. An emoji takes two, whatever its components are. Otherwise the base character decides. */
function letterWidth(letter: string): number {
  if (plain.test(letter)) return letter.length
  const { invisible, emoji } = unicodeTables()
  if (invisible.test(letter)) return 0
  return emoji.test(letter) ? 2 : eastAsianWidth(assertDefined(letter.codePointAt(0)))
}

/**
 * Fits a sanitized text into a number of columns. Pads a short text; cuts a long one and adds an ellipsis: a path or URL loses its
 * scheme, its query, and then its middle, because its end tells most; a list keeps the number of its other items; any other text
 * loses its end. Never cuts within a letter.
 *
 * @param align position of the text in its columns; `none` does not pad
 */
export function fitText(text: string, width: number, align: 'left' | 'right' | 'none' = 'left'): string {
  const shown = textWidth(text) <= width ? text : shorten(text, width)
  const padding = align === 'none' ? '' : ' '.repeat(Math.max(0, width - textWidth(shown)))
  return align === 'right' ? padding + shown : shown + padding
}

/** Breaks a sanitized text into lines at its spaces. A longer word stays whole, so that it can be copied. */
export function wrapText(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (textWidth(last) + 1 + textWidth(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function shorten(text: string, width: number): string {
  if (width < 1) return ''
  const isUrl = /^(\/|https?:\/\/)/.test(text)
  const plainText = isUrl ? text.replace(/^https?:\/\//, '') : text
  if (textWidth(plainText) <= width) return plainText
  const path = isUrl ? plainText.replace(/\?.*/s, '') : plainText
  if (textWidth(path) < width) return `${path}…`
  const letters = lettersOf(path)
  const end = isUrl ? (width - 1) * (2 / 3) : (/ \+\d+$/.exec(path)?.[0].length ?? 0)
  const tail = takeLetters(letters.toReversed(), end).toReversed()
  const head = takeLetters(letters, width - 1 - textWidth(tail.join('')))
  return `${head.join('')}…${tail.join('')}`
}

function takeLetters(letters: readonly string[], columns: number): string[] {
  let left = columns
  const end = letters.findIndex((letter) => {
    left -= letterWidth(letter)
    return left < 0
  })
  return letters.slice(0, end === -1 ? letters.length : end)
}
