/** The message of a run: a digest of its causes, in the form that the receiver takes. */

import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { cellLine, inert, minuteText } from '../exchange/text.ts'
import { changeLines, firstLines } from '../report/change-text.ts'
import { sameTarget, targetText } from '../verdict/changes.ts'
import { marks } from '../verdict/outcomes.ts'
import { problemLines, resultOf } from '../verdict/result.ts'

/** Content of a message; its texts are not escaped yet. */
export interface Digest {
  readonly title: string
  readonly lines: readonly string[]
  /** Address of the report, if readers of the message can open one. */
  readonly link?: string | undefined
  /** The lines to repeat in the next message, if no receiver takes this one. */
  readonly news: readonly string[]
}

/** Where the report of a run is. */
export interface Place {
  readonly link?: string | undefined
  /** Host and path, for readers who have no link. */
  readonly file?: string | undefined
}

/** Maximum number of lines, and of lines of earlier messages. */
const [maxLines, maxEarlier] = [10, 30]
/** Maximum number of characters in a line. */
const maxLine = 160
/** Maximum number of characters of a message for Discord. */
const maxOfDiscord = 2_000

/**
 * Returns the message about a run; undefined if it has exit code 0 like the run before, nothing changed, and no earlier message is left.
 *
 * @param report the report with `changes`
 * @param earlier runs before this one, of any target. Lines that no receiver took are sent again
 * @param failure why the reports could not be written
 */
export function digestOf(
  report: Report,
  earlier: readonly RememberedRun[],
  { link, file }: Place = {},
  failure?: string,
): Digest | undefined {
  const series = sameTarget(earlier, targetText(report))
  const undelivered = series.flatMap((run) => run.undelivered ?? [])
  const { startedAt, target, exitCode, changes } = report
  const { broke = [], fixed = [], undecided = [] } = changes ?? {}
  const isCalm = exitCode === 0 && series.at(-1)?.exitCode === 0 && undelivered.length === 0 && failure === undefined
  // A cause that is still open is no change.
  if (isCalm && broke.length + fixed.length + undecided.length === 0) return undefined
  const { outcome, sentence } = resultOf(report)
  const { mark } = marks[failure === undefined || outcome === 'fail' ? outcome : 'error']
  const problems = [...(failure === undefined ? [] : [failure]), ...problemLines(report)]
  const title = `${mark} ${sentence} (${target.kind}, ${startedAt.slice(0, 10)})`
  const place = link === undefined && file !== undefined ? [`Report: ${file}`] : []
  // The next message tells again what is still there or open then.
  const news = [title, ...problems, ...changeLines(report, ['still', 'open'])]
  return {
    title,
    lines: [...cut([...problems, ...changeLines(report)], maxLines), ...cut(undelivered, maxEarlier), ...place],
    ...(link !== undefined && { link }),
    news: cut(news, maxLines).map((line) => `Not delivered at ${minuteText(startedAt)}: ${line}`),
  }
}

function cut(lines: readonly string[], max: number): string[] {
  return firstLines(lines, max).map((line) => cellLine(line, maxLine))
}

/**
 * The bodies of posts for Slack and receivers that accept its format, for Discord, and for workflows of Teams. All texts are escaped, so
 * that text of a target can neither format the message nor mention anybody.
 */
export const bodies = {
  slack: ({ title, lines, link }: Digest) => {
    const text = [`*${slackText(title)}*`, ...lines.map((line) => `• ${slackText(line)}`), ...(link ? [link] : [])]
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

function slackText(text: string): string {
  return plainText(text).replace(/[&<>]/g, (character) => entities[character] ?? '')
}

/** Breaks up markup, mentions and links with an invisible character, such as the dates of Discord and the expressions of Teams. */
function plainText(text: string): string {
  return inert(cellLine(text)).replace(/[!*_~`[\]|\\<{]/g, '$&\u2060')
}
