/** The message of a run: a digest of its causes, in the form that the receiver takes. */

import { minuteText, oneLine, withoutLinks } from '../exchange/format-text.ts'
import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { changeLines, moreText } from '../report/change-text.ts'
import { sameTarget, targetText } from '../verdict/changes.ts'
import { marks } from '../verdict/outcomes.ts'
import { problemLines, resultOf } from '../verdict/result.ts'

/** A title, lines and a link. The texts are not escaped yet. */
export type Digest = NonNullable<ReturnType<typeof digestOf>>

interface Line {
  readonly text: string
  /** How the next message repeats the line, if no receiver takes this one. Lines about continuing causes are not repeated. */
  readonly later?: string
}

/** Where the report of a run is. */
export interface ReportPlace {
  readonly link?: string | undefined
  /** Host and path, for readers who have no link. */
  readonly file?: string | undefined
}

/** Maximum number of lines about a run, and of characters in a title and in a line. */
const [maxLines, maxTitle, maxLine] = [10, 300, 160]
/** Maximum size of a body in bytes. Discord limits a text to 2,000 characters, Rocket.Chat to 5,000, and Teams a body to 28 KB. */
const maxBytes = { slack: 4_000, discord: 2_000, teams: 28_000 }

/**
 * Returns the message about a run; undefined if this run and the previous one exit with 0, nothing changed, the reports were written, and
 * no earlier line is left.
 *
 * @param report the report with `changes`
 * @param earlier runs before this one, of any target. Lines that no receiver took are sent again
 * @param failure why the reports could not be written
 */
export function digestOf(
  report: Report,
  earlier: readonly RememberedRun[],
  { link, file }: ReportPlace = {},
  failure?: string,
) {
  const series = sameTarget(earlier, targetText(report))
  const undelivered = series.flatMap((run) => run.undelivered ?? [])
  const { startedAt, target, exitCode, changes } = report
  const { broke = [], fixed = [], undecided = [] } = changes ?? {}
  const isCalm = exitCode === 0 && series.at(-1)?.exitCode === 0 && undelivered.length === 0 && failure === undefined
  // A cause that is still open is no change.
  if (isCalm && broke.length + fixed.length + undecided.length === 0) return undefined
  const { outcome, sentence } = resultOf(report)
  const { mark } = marks[failure === undefined || outcome === 'fail' ? outcome : 'error']
  const news = (text: string): Line => ({ text, later: `Not delivered at ${minuteText(startedAt)}: ${text}` })
  const { still, open, ...others } = changeLines(report)
  const first = [...(failure === undefined ? [] : [failure]), ...problemLines(report), ...Object.values(others).flat()]
  const own = [
    ...first.map((text) => news(oneLine(text, maxLine))),
    ...[...still, ...open].map((text) => ({ text: oneLine(text, maxLine) })),
  ]
  const lines: readonly Line[] = [
    ...own.slice(0, maxLines),
    ...(own.length > maxLines ? [news(moreText(own.length - maxLines))] : []),
    ...(link === undefined && file !== undefined ? [{ text: `Report: ${file}` }] : []),
    ...undelivered.map((text) => ({ text, later: text })),
  ]
  const title = oneLine(`${mark} ${sentence} (${target.kind}, ${startedAt.slice(0, 10)})`, maxTitle)
  return { title: news(title), lines, link }
}

/**
 * Returns a digest as messages for a receiver, in order: the body of each, and the lines to repeat `later` if the receiver does not take
 * it. Lines that do not fit into one message are in the next one.
 */
export function messagesOf({ title, lines, link }: Digest, form: MessageForm) {
  const bodyOf = (some: readonly Line[]) => {
    const texts = some.map(({ text }) => text)
    return messageBodies[form](title.text, texts, link)
  }
  const isFitting = (some: readonly Line[]) => Buffer.byteLength(JSON.stringify(bodyOf(some))) <= maxBytes[form]
  const parts: Line[][] = [[]]
  for (const line of lines) {
    const part = parts.at(-1) ?? []
    if (part.length === 0 || isFitting([...part, line])) part.push(line)
    else parts.push([line])
  }
  return parts.map((part, index) => ({
    body: bodyOf(part),
    later: [...(index === 0 ? [title] : []), ...part].flatMap(({ later }) => later ?? []),
  }))
}

/**
 * The bodies of posts for Slack and receivers that accept its format, for Discord, and for workflows of Teams. All texts are escaped, so
 * that text of a target can neither format the message nor mention anybody.
 */
export const messageBodies = {
  slack: (title: string, lines: readonly string[], link?: string) => {
    const text = [`*${slackText(title)}*`, ...lines.map((line) => `• ${slackText(line)}`), ...(link ? [link] : [])]
    return { text: text.join('\n') }
  },
  discord: (title: string, lines: readonly string[], link?: string) => {
    const items = lines.map((line) => `- ${plainText(line)}`)
    const text = [`**${plainText(title)}**`, ...items, ...(link ? [`<${link}>`] : [])]
    return { content: text.join('\n'), allowed_mentions: { parse: [] } }
  },
  teams: (title: string, lines: readonly string[], link?: string) => {
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

export type MessageForm = keyof typeof messageBodies
export const messageForms = Object.keys(messageBodies) as MessageForm[] // `messageBodies` has no other keys

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function slackText(text: string): string {
  return unformatted(text).replace(/[&<>]/g, (character) => entities[character] ?? '')
}

/** Discord and Teams format a text between two marks even if an invisible character follows the first one. A backslash prevents it. */
function plainText(text: string): string {
  return unformatted(text).replace(/[*_~`\\]/g, '\\$&')
}

/** Breaks up markup, mentions and links with an invisible character, such as the dates of Discord and the expressions of Teams. */
function unformatted(text: string): string {
  return withoutLinks(oneLine(text)).replace(/[!*_~`[\]|\\<{]/g, '$&\u2060')
}
