/** The order in which sentences rest on each other. */
import type { Decides } from '../requirements.ts'

/**
 * The sentences of each level, as the literals that the checks state. If a sentence is broken, one of a later level may show nothing of its own.
 * All sentences that are not listed are of the level `other`.
 */
const sentences = {
  /** A valid credential is accepted. It comes first if it is refused. */
  scheme: ['<operation>.<scheme>', '<interface>.authentication.default'],
  scope: ['<operation>.scope-<scope>', '<operation>.scope-<scope>/<scheme>'],
  /** The plainest valid request succeeds, with the stated status and body: the control of all other cases. */
  success: ['<operation>.2xx'],
  status: ['<operation>.<status>'],
  json: ['<operation>.json'],
  body: ['<operation>.body'],
  /** What the rows of a file can be read from. */
  format: ['<operation>.pipe-delimited'],
  fields: ['<operation>.line'],
  /** Of several calls at once, each has its own response: otherwise nothing that is read can be trusted. */
  parallel: ['<operation>.zone/parallel', '<operation>.id/parallel'],
  /** What a write does. */
  effect: ['<operation>.effect'],
  /** Which item it changes, and what each response of the logs shows. */
  plain: [
    '<operation>.id',
    '<operation>.<item>-id',
    '<operation>.one-per-call',
    '<operation>.zone',
    '<operation>.from-inclusive',
    '<operation>.to-exclusive',
    '<operation>.order',
    '<operation>.day',
    '<operation>.addresses',
    '<interface>.cache-status.values',
    '<interface>.rate-limit.accepted',
  ],
  /** A wrong credential is refused. */
  refusal: [
    '<interface>.authentication.missing',
    '<interface>.authentication.invalid/<case>',
    '<operation>.401-missing',
    '<operation>.401/<case>',
    '<operation>.access-key/<case>',
    '<interface>.authentication.default/<case>',
  ],
  other: [],
  /** What no other sentence states about odd input. */
  robustness: ['<operation>.robustness'],
  /** The body of an error, which says nothing if the status is wrong: that it is an object, its fields, and all of it. */
  error: ['<interface>.errors.object'],
  code: ['<interface>.errors.<code>/<case>', '<interface>.errors.<field>'],
  errorBody: ['<operation>.error-body', '<operation>.error-place/<case>'],
  /** Several responses agree with each other, or with what other sentences say. */
  derived: [
    '<operation>.effect/credentials',
    '<operation>.effect/sequence',
    '<operation>.pages',
    '<operation>.bearer/cases',
    '<operation>.filtering',
    '<operation>.filters-combine',
    '<operation>.partition',
    '<operation>.no-match',
    '<operation>.default-range',
    '<operation>.encoding',
    '<operation>.limit-bounds',
    '<operation>.retention-refused',
    '<interface>.agreement.v1-v2',
    '<interface>.agreement.v1-v2/days',
    '<interface>.service.raw-logs',
    '<interface>.rate-limit.per-pull-zone',
  ],
  /** Whether more follows is told of the entries that a filter picks. */
  more: ['<operation>.has-more'],
  /** A query of an old range succeeds. */
  retention: [
    '<interface>.retention.3-days/noted',
    '<interface>.retention.3-days/kept',
    '<interface>.retention.3-days/reachable',
  ],
  /** Other notations of a query. */
  notations: ['<operation>.notations'],
  /** What most mistakes disturb: the query as the server understood it, and several writes at once. */
  last: ['<operation>.echo', '<operation>.effect/parallel'],
} as const satisfies Readonly<Record<string, readonly Decides[]>>

type Level = keyof typeof sentences
const names = Object.keys(sentences) as readonly Level[] // the keys of the table are exact

/** The number of each level: a sentence of a lower one explains a sentence of a higher one. */
export const levels = Object.fromEntries(names.map((name, index) => [name, index])) as Readonly<Record<Level, number>>

/** All sentences with a level of their own. */
export const levelled: readonly Decides[] = Object.values(sentences).flat()

const levelOfSentence = new Map<string, number>(
  names.flatMap((name) => sentences[name].map((decides) => [decides, levels[name]] as const)),
)

/**
 * Returns the level of a sentence. A valid credential whose request fails otherwise than by a refusal says nothing about the credential. A
 * sentence about a success is undecided if no success came: it comes last, in the order of the levels.
 *
 * @param decides the literal of the id that a check decides
 * @param expected what the check expected
 * @param seen what it saw
 */
export function levelOf(decides: string, expected = '', seen = ''): number {
  const level = levelOfSentence.get(decides) ?? levels.other
  if (level <= levels.scope) return /^status 40[13]/.test(seen) ? level : levels.other
  const isAboutSuccess = level <= levels.effect || level === levels.retention
  return /^a success/.test(expected) && !isAboutSuccess ? levels.last + level / (levels.last + 1) : level
}
