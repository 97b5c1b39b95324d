import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { type ForeignOperation, operationKey } from './operations.ts'

/** Maximum length of a name: enough for a sentence, short enough for a command. */
const maxLength = 40

/** Words without information about an operation. */
const noise = new Set(['a', 'an', 'the', 'public', 'endpoint', 'operation', 'new'])
/** Words that are too general as the only word after a verb. */
const general = new Set(['all', 'count', 'data', 'details', 'get', 'info', 'information', 'list', 'public'])
/** Words that must not end a name. */
const joints = new Set(
  'a an and as at by can for from if in into is of on or the to using via when where with'.split(' '),
)

/** One operation with its area. */
export interface Unnamed {
  readonly operation: ForeignOperation
  readonly area: string
}

/**
 * Gives each operation a name in kebab-case, from its summary, or from method and path. A name has at most 40 characters and is
 * unique. The words of the area are omitted if the remaining name is unique and has a word after the verb that is not general.
 *
 * @param operations all operations of a contract
 * @param kept existing names by `operationKey`; the operations with these keys keep their names
 * @returns the names by the key of the operation
 */
export function operationNames(operations: readonly Unnamed[], kept: ReadonlyMap<string, string>): Map<string, string> {
  const candidates = operations.map(({ operation, area }) => ({ operation, ...candidatesOf(operation, area) }))
  const counts = new Map<string, number>()
  for (const { short, others } of candidates)
    for (const name of new Set([short, others[0]])) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = new Map<string, string>()
  const taken = new Set(kept.values())
  for (const { operation, short, others } of candidates) {
    const all = counts.get(short) === 1 && tellsApart(short) ? [short, ...others] : others
    const free = all.find((candidate) => isName(candidate) && !taken.has(candidate))
    const name = kept.get(operationKey(operation)) ?? free ?? numbered(all.find(isName) ?? operation.method, taken)
    names.set(operationKey(operation), name)
    taken.add(name)
  }
  return names
}

/** Candidates for a name: first without the words of the area, then longer ones. */
interface Candidates {
  readonly short: string
  readonly others: readonly [string, ...string[]]
}

function candidatesOf({ method, path, operation }: ForeignOperation, area: string): Candidates {
  const summary = typeof operation['summary'] === 'string' ? operation['summary'] : ''
  const sentence = defined(summary.replace(/\([^()]*\)/g, '').split(/[.:;!?](?:\s|$)/)[0])
  const fromSummary = usefulWords(sentence.toLowerCase().replace(/['’]/g, ''))
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'))
  const fromPath = [method, ...segments.flatMap((segment) => wordsOf(kebabCase(segment.replace(/\{.*/, ''))))]
  const hasSummary = fromSummary.length > 1
  const words = hasSummary ? fromSummary : fromPath
  const short = withoutArea(words, area, hasSummary)
  const long = words.length > 1 ? join(words) : ''
  const inArea = join(
    [...words, ...usefulWords(kebabCase(area)).slice(-2)].filter((word, at, all) => all.indexOf(word) === at),
  )
  return { short: join(short), others: [long, inArea, join(fromPath)] }
}

function wordsOf(text: string): string[] {
  return text.match(/[a-z0-9]+/g) ?? []
}

function usefulWords(text: string): string[] {
  return wordsOf(text).filter((word) => !noise.has(word))
}

/**
 * Removes the name of the area, in singular or plural. From a path, it removes the segment with the name. From a summary, it
 * removes each word of the name: in the area DNS Zone, "Add DNS Record" becomes "Add Record".
 */
function withoutArea(words: readonly string[], area: string, eachWord: boolean): string[] {
  const areaWords = kebabCase(area).split('-')
  const stems = new Set([...(eachWord ? areaWords : []), areaWords.join('')].map(stem))
  return words.filter((word, index) => index === 0 || !stems.has(stem(word)))
}

function stem(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
}

/** Whether a name has a verb and a word that is not general. */
function tellsApart(name: string): boolean {
  if (joints.has(name.split('-')[1] ?? '')) return false
  return name
    .split('-')
    .slice(1)
    .some((word) => !general.has(word))
}

/** Joins words to a name of at most the maximum length that does not end with a word such as `of`. */
function join(words: readonly string[]): string {
  const fitting = [...words]
  while (fitting.join('-').length > maxLength) fitting.pop()
  const joint = fitting.findIndex((word, index) => index > 1 && joints.has(word))
  if (fitting.length < words.length && joint !== -1) fitting.length = joint
  while (joints.has(fitting.at(-1) ?? '')) fitting.pop()
  return fitting.join('-')
}

function isName(text: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text)
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  const base = name.slice(0, maxLength - 5).replace(/-$/, '')
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`
}
