/** Characters that a class may permit, the plainest first. */
const characters = ['a', '0', 'A', ...String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))]

/** Maximum number of repetitions; an expression that requires more gets no text. */
const maxRepeats = 1_000

/** The parts of an expression: a class, an escape, the start of a group, a quantifier, or one character. */
const parts =
  /\[(?:\\.|[^\]\\]){0,200}\]|\\(?:[pP]\{[^}]*\}|x\p{AHex}{2}|u\p{AHex}{4}|u\{\p{AHex}+\}|.)|\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d+(?:,\d*)?\}|./gsu

/** Whether a text matches a `pattern` of JSON Schema; any text matches an expression that is not one of JavaScript. */
export function isMatch(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}

/**
 * Finds a short text that a regular expression matches.
 *
 * @param minLength minimum length of the text, and `maxLength` its maximum
 * @returns undefined if none is found: lookarounds and references to groups are ignored
 */
export function textMatching(pattern: string, minLength: number, maxLength: number): string | undefined {
  for (let more = 0; more <= Math.min(minLength, maxRepeats); more++) {
    const text = shortest([...(pattern.match(parts) ?? [])], more)
    if (text.length >= minLength && text.length <= maxLength && isMatch(text, pattern)) return text
  }
  return undefined
}

/**
 * Returns a short text for the parts up to the end of the group, and removes these parts.
 *
 * @param more number of repetitions beyond the minimum
 */
function shortest(rest: string[], more: number): string {
  let text = ''
  for (let part = rest.shift(); part !== undefined && part !== ')'; part = rest.shift()) {
    if (part === '|') {
      shortest(rest, 0) // the first alternative is enough
      break
    }
    const unit = part.startsWith('(') ? ofGroup(part, shortest(rest, more)) : ofPart(part)
    text += unit.repeat(repeats(rest, more))
  }
  return text
}

function ofGroup(start: string, text: string): string {
  return /^\(\?<?[=!]/.test(start) ? '' : text
}

/** A character that a part permits; an empty text for an anchor or a reference to a group. */
function ofPart(part: string): string {
  if (/^(?:[$^]|\\[bBk1-9])$/.test(part)) return ''
  if (/^[^\\[.]/u.test(part)) return part
  return characters.find((one) => new RegExp(`^${part}$`, 'u').test(one)) ?? ''
}

const quantifiers: Readonly<Record<string, string>> = { '*': '{0,}', '+': '{1,}', '?': '{0,1}' }

function repeats(rest: string[], more: number): number {
  const [next = ''] = rest
  const [found, min, comma, max] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(quantifiers[next] ?? next) ?? []
  if (found === undefined) return 1
  rest.shift()
  if (rest[0] === '?') rest.shift() // a lazy quantifier
  return Math.min(Number(min) + more, Number(comma ? max || maxRepeats : min), maxRepeats)
}
