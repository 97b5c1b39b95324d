import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { type ForeignOperation, operationKey, templateNames } from './operations.ts'

/** Maximum length of a name: enough for a sentence, short enough for a command. */
const maxLength = 40

/** Words without information about an operation. */
const noise = new Set('a an the this your new existing given specified specific available individual'.split(' '))
/** Words that begin a phrase. A name that is too long ends before such a word, so that it keeps the noun before it. */
const joints = new Set(
  `and applied as associated at based by can configured for from grouped if in into is of on optionally or per segmented that to
  using via when where which with within`.split(/\s+/),
)

/** An operation with its area. */
export type Unnamed = ForeignOperation & { readonly area: string }

/**
 * Gives each operation a name in kebab-case, from its summary. If the summary has no words or another operation has the name, the
 * name is taken from method and path. A name has at most 40 characters and is unique.
 *
 * @param operations all operations of a contract
 * @param kept existing names by `operationKey`; the operations with these keys keep their names
 * @returns the names by the key of the operation
 */
export function operationNames(operations: readonly Unnamed[], kept: ReadonlyMap<string, string>): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(kept.values())
  for (const operation of operations) {
    const all = candidatesOf(operation).filter((name) => /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(name))
    const free = all.find((candidate) => !taken.has(candidate))
    const name = kept.get(operationKey(operation)) ?? free ?? numbered(all[0] ?? operation.method, taken)
    names.set(operationKey(operation), name)
    taken.add(name)
  }
  return names
}

/** Returns names for an operation, the best first. */
function candidatesOf({ method, path, operation, area }: Unnamed): string[] {
  const summary = typeof operation['summary'] === 'string' ? operation['summary'] : ''
  const sentence = defined(summary.replace(/\([^()]*\)/g, '').split(/[.:;!?](?:\s|$)/)[0])
  const words = wordsOf(sentence.toLowerCase().replace(/['’]/g, ''))
  const telling = words.filter((word) => !noise.has(word))
  // "Your configuration" has no verb.
  const fromSummary = noise.has(words[0] ?? '') ? [method, ...telling] : telling
  const segments = path.split('/').map((part) => kebabCase(part.replaceAll(/\{[^{}]*\}|\.json$/g, '')))
  const literals = segments.filter((segment) => segment !== '' && !/^(v?\d+|\d+(-\d+)+)$/.test(segment))
  const fromPath = [method, ...(literals.length > 0 ? literals : [kebabCase(area)])]
  const parameter = kebabCase(templateNames(path).at(-1) ?? '')
  return [
    ...(fromSummary.length > 1 ? [shorten(fromSummary)] : []),
    withEnd(fromPath),
    ...(parameter === '' ? [] : [withEnd([...fromPath.slice(0, -1), `${fromPath.at(-1)}-by-${parameter}`])]),
  ]
}

function wordsOf(text: string): string[] {
  return text.match(/[a-z0-9]+/g) ?? []
}

/** Joins the words of a sentence to a name: as many phrases as fit, or the verb and the last words of the first phrase. */
function shorten(words: readonly string[]): string {
  const ends = words.flatMap((word, index) => (index > 1 && joints.has(word) ? [index] : []))
  const phrases = [words.length, ...ends.toReversed()].map((end) => words.slice(0, end))
  const fitting = phrases.find((phrase) => phrase.join('-').length <= maxLength && !joints.has(phrase.at(-1) ?? ''))
  return fitting?.join('-') ?? withEnd(defined(phrases.at(-1)))
}

/** Joins the first part and as many of the last parts as fit. */
function withEnd([first = '', ...rest]: readonly string[]): string {
  const from = rest.findIndex((_, index) => [first, ...rest.slice(index)].join('-').length <= maxLength)
  return from === -1 ? '' : [first, ...rest.slice(from)].join('-')
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  const base = name.slice(0, maxLength - 5).replace(/-$/, '')
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`
}
