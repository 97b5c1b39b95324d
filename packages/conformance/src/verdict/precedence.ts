/** Orders the sentences: if an earlier one is broken, checks of later ones may fail only because of it. */
import type { Evidence } from '../exchange/report-model.ts'
import type { Decides } from '../exchange/requirements.ts'

/**
 * The sentences of each level, as the literals that the checks state. All sentences that are not listed have the level `other`.
 */
const sentences = {
  /** A valid credential is accepted. `scheme` and `scope` count only if the response is 401 or 403 (`levelOf`). */
  scheme: ['<operation>.<scheme>', '<interface>.authentication.default'],
  scope: ['<operation>.scope-<scope>', '<operation>.scope-<scope>/<scheme>'],
  /** The plainest valid request succeeds, with the stated status and body: the control of all other cases. */
  success: ['<operation>.2xx'],
  status: ['<operation>.<status>'],
  json: ['<operation>.json'],
  body: ['<operation>.body'],
  /** The rows of a file can be parsed. */
  format: ['<operation>.pipe-delimited'],
  fields: ['<operation>.line'],
  /** Each of several calls gets its own response; otherwise no read can be trusted. */
  parallel: ['<operation>.zone/parallel', '<operation>.id/answered'],
  /** A response has rows of the right pull zone only: any other row is also an additional row. */
  zone: ['<operation>.zone'],
  /** A write has its effect. */
  effect: ['<operation>.effect'],
  /** A write changes the right item, and a response of the logs has the right rows. */
  plain: [
    '<operation>.id',
    '<operation>.<item>-id',
    '<operation>.one-per-call',
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
  /** Odd input does not make the server fail. */
  robustness: ['<operation>.robustness', '<operation>.other-methods'],
  /** The body of an error, which means nothing if the status is wrong: first the object, then its fields, then the whole body. */
  error: ['<interface>.errors.object'],
  code: ['<interface>.errors.<code>/<case>', '<interface>.errors.<field>'],
  errorBody: ['<operation>.error-body', '<operation>.error-place/<case>'],
  /** Several responses agree with each other, or with other sentences. */
  derived: [
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
  /** `hasMore` depends on the entries that the filters select, so the sentences about filters come before it. */
  more: ['<operation>.has-more'],
  /** A query of an old range succeeds. */
  retention: [
    '<interface>.retention.3-days/noted',
    '<interface>.retention.3-days/kept',
    '<interface>.retention.3-days/reachable',
  ],
  /** Other notations of a query. */
  notations: ['<operation>.notations'],
  /** Most mistakes also break this sentence: the echo of the query. */
  last: ['<operation>.echo'],
} as const satisfies Readonly<Record<string, readonly Decides[]>>

type Level = keyof typeof sentences
const names = Object.keys(sentences) as readonly Level[] // `sentences` has no other keys

/** The number of each level. A broken sentence with a lower number may explain one with a higher number. */
export const levels = Object.fromEntries(names.map((name, index) => [name, index])) as Readonly<Record<Level, number>>

/** All sentences with a level of their own. */
export const rankedSentences: readonly Decides[] = Object.values(sentences).flat()

const levelOfSentence = new Map<string, number>(
  names.flatMap((name) => sentences[name].map((decides) => [decides, levels[name]] as const)),
)

/**
 * Returns the level of a violated sentence. If a request with a valid credential fails with a status other than 401 and 403, this says
 * nothing about the credential: the level is `other`. If a check only needed a success and did not get it, the level of its sentence comes
 * after all others, in the order of their levels.
 *
 * @param decides the literal of the id that a check decides
 */
export function levelOf(decides: string, { expected, seen }: Pick<Evidence, 'expected' | 'seen'>): number {
  const level = levelOfSentence.get(decides) ?? levels.other
  const isRefused = seen?.kind === 'status' && (seen.status === 401 || seen.status === 403)
  if (level <= levels.scope) return isRefused ? level : levels.other
  const isAboutRows = [levels.format, levels.fields, levels.zone].includes(level)
  const isAboutSuccess = (level <= levels.effect && !isAboutRows) || level === levels.retention
  return expected?.kind === 'success' && !isAboutSuccess ? levels.last + level / (levels.last + 1) : level
}
