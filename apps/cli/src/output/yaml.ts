import { defined } from '@cdn/kit/defined'
import { isUnsafe, unsafe } from '@cdn/kit/text'
import { Document, visit } from 'yaml'

/**
 * Writes a value as YAML 1.2. 64-bit integers are exact. Lone surrogates become U+FFFD. Characters that could control a terminal
 * become escapes in double quotes. Values do not change otherwise.
 *
 * @returns lines with line ends
 */
export function yamlText(value: unknown): string {
  const document = new Document(value, wellFormed, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && isUnsafe(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
  return text.replace(unsafe, (character) => (character === '\n' ? '\n' : escapeOf(character)))
}

function wellFormed(_key: unknown, value: unknown): unknown {
  if (value === 0) return 0 // JSON has no negative zero
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** YAML escapes have no surrogate pairs. A character beyond U+FFFF has an escape of eight digits. */
function escapeOf(character: string): string {
  const hex = defined(character.codePointAt(0)).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}
