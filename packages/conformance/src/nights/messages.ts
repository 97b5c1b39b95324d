/** Messages about transitions, for a webhook. */
import { createHash } from 'node:crypto'
import type { Report, Transition, TransitionKind } from '../report/model.ts'
import { cellLine, timesText, transitionTitles } from '../report/text.ts'
import { type Night, nightOf } from './history.ts'

/** The body of a post. `text` is what chat systems show. */
export interface Message {
  /** The same for each attempt to send the message, so that a receiver can recognize a repetition. */
  readonly id: string
  readonly text: string
  readonly kind: TransitionKind
  /** Ids of the requirements or observations. Requirements that become undecided in the same night share a message. */
  readonly ids: readonly string[]
  readonly firstFailed?: string
  readonly lastPassed?: string
  readonly at: string
  readonly target: string
}

/** Number of ids in a text. */
const maxIds = 10

/** Returns one message per transition; all requirements that become undecided share one, because an outage affects them all. */
export function messagesOf(report: Report): Message[] {
  const { transitions = [] } = report.changes ?? {}
  const undecided = transitions.filter(({ kind }) => kind === 'undecided')
  const groups = [...transitions.filter(({ kind }) => kind !== 'undecided').map((one) => [one]), undecided]
  const sentences = new Map(report.requirements.map(({ id, text }) => [id, text]))
  const night = nightOf(report)
  return groups.flatMap(([first, ...others]) =>
    first ? [messageOf(night, first, others, sentences.get(first.id))] : [],
  )
}

function messageOf(night: Night, first: Transition, others: readonly Transition[], sentence = ''): Message {
  const { kind, firstFailed, lastPassed } = first
  const ids = [first, ...others].map(({ id }) => id)
  const more = ids.length > maxIds ? ` and ${ids.length - maxIds} more` : ''
  const about = others.length === 0 ? [sentence, timesText(first)].filter((part) => part).join(' – ') : ''
  const { at, target } = night
  const text = `${transitionTitles[kind]} (${target}, ${at.slice(0, 10)}): ${ids.slice(0, maxIds).join(', ')}${more}${about && `: ${about}`}`
  return {
    id: createHash('sha256')
      .update(JSON.stringify([target, at, kind, ids]))
      .digest('hex')
      .slice(0, 32),
    ...{ text: chatText(text), kind, ids },
    ...(others.length === 0 && firstFailed && { firstFailed }),
    ...(others.length === 0 && lastPassed && { lastPassed }),
    ...{ at, target },
  }
}

/** Escapes a text, so that chat systems see no markup, no mention and no link in it. */
function chatText(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  return cellLine(text, 600)
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
    .replace(/[@#!*_~`[\]|]|:(?=\/\/)/g, '$&\u2060')
}
