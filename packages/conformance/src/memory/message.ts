/** The message of a run: a digest of its causes, in the form that the receiver takes. */

import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { cellLine } from '../exchange/text.ts'
import { changeLines } from '../report/change-text.ts'
import { sameTarget, targetText, withChanges } from '../verdict/changes.ts'
import { marks } from '../verdict/outcomes.ts'
import { resultOf } from '../verdict/result.ts'

/** Content of a message; its texts are not escaped yet. */
export interface Digest {
  readonly title: string
  readonly lines: readonly string[]
  /** Address of the report, if readers of the message can open one. */
  readonly link?: string | undefined
}

/** Maximum number of lines, of characters in a line, and of all characters for Discord. */
const [maxLines, maxLine, maxOfDiscord] = [10, 160, 2_000]

/**
 * Returns the message about a run; undefined if it has exit code 0 like the run before, and nothing changed.
 *
 * @param earlier runs before this one, of any target. A run whose message was not delivered is left out of the comparison
 */
export function digestOf(report: Report, earlier: readonly RememberedRun[], link?: string): Digest | undefined {
  const series = sameTarget(earlier, targetText(report))
  const delivered = series.filter(({ untold }) => !untold)
  const last = delivered.at(-1)
  const { outcome, sentence } = resultOf(report)
  const whole = withChanges(report, delivered)
  const { broke = [], fixed = [], undecided = [] } = whole.changes ?? {}
  const isCalm = report.exitCode === 0 && last?.exitCode === 0 && !series.at(-1)?.untold
  // A cause that is still open is no change.
  if (isCalm && broke.length + fixed.length + undecided.length === 0) return undefined
  const lines = changeLines(whole)
  const { startedAt, target, problems = [], leaks = [] } = report
  const others = [...problems.slice(report.status === 'not-started' ? 1 : 0), ...leaks]
  const all = [...others, ...lines]
  const more = all.length > maxLines ? [`${all.length - maxLines} more: see the report.`] : []
  return {
    title: `${marks[outcome].mark} ${sentence} (${target.kind}, ${startedAt.slice(0, 10)})`,
    lines: [...all.slice(0, maxLines), ...more].map((line) => cellLine(line, maxLine)),
    ...(link !== undefined && { link }),
  }
}

/**
 * The bodies of posts for Slack and receivers that accept its format, for Discord, and for workflows of Teams. All texts are escaped, so
 * that text of a target can neither format the message nor mention anybody.
 */
export const bodies = {
  slack: ({ title, lines, link }: Digest) => {
    const inert = (text: string) => plainText(text.replace(/[&<>]/g, (character) => entities[character] ?? ''))
    const text = [`*${inert(title)}*`, ...lines.map((line) => `• ${inert(line)}`), ...(link ? [link] : [])]
    return { text: text.join('\n') }
  },
  discord: ({ title, lines, link }: Digest) => {
    const items = lines.map((line) => `- ${plainText(line)}`)
    // The link comes before the items, because the end of the text may be cut.
    const text = [`**${plainText(title)}**`, ...(link ? [`<${link}>`] : []), ...items].join('\n')
    return { content: [...text].slice(0, maxOfDiscord).join(''), allowed_mentions: { parse: [] } }
  },
  teams: ({ title, lines, link }: Digest) => {
    const block = (text: string, rest: object) => ({ type: 'TextBlock', text: plainText(text), wrap: true, ...rest })
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [block(title, { weight: 'bolder' }), ...lines.map((line) => block(`• ${line}`, { spacing: 'small' }))],
      ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Report', url: link }] }),
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    return { type: 'message', attachments: [attachment] }
  },
}

export type Form = keyof typeof bodies
export const forms = Object.keys(bodies) as Form[] // `bodies` has no other keys

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Breaks up markup, mentions and links with an invisible character (U+2060). */
function plainText(text: string): string {
  return cellLine(text).replace(/[@#!*_~`[\]|\\]|:(?=\/\/)/g, '$&\u2060')
}
