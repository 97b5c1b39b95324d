/** Messages about transitions, and their posts to a webhook: at most one per message. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Schemas } from '../gen/schemas.ts'
import type { Report, Transition } from '../report/model.ts'
import { cellLine, timesText, transitionTitles } from '../report/text.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { writeWhole } from '../run/files.ts'
import { readKept } from '../run/read-json.ts'
import { type Night, nightOf } from './history.ts'

/** The body of a post. */
export type Message = Schemas['Message']

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

function messageOf({ at, target }: Night, first: Transition, others: readonly Transition[], sentence = ''): Message {
  const { kind, id: _, ...times } = first
  const ids = [first, ...others].map(({ id }) => id)
  const more = ids.length > maxIds ? ` and ${ids.length - maxIds} more` : ''
  const isSingle = others.length === 0
  const about = isSingle ? [sentence, timesText(first)].filter((part) => part).join(' – ') : ''
  const text = `${transitionTitles[kind]} (${target}, ${at.slice(0, 10)}): ${ids.slice(0, maxIds).join(', ')}${more}${about && `: ${about}`}`
  const hash = createHash('sha256').update(JSON.stringify([target, at, kind, ids]))
  return { id: hash.digest('hex').slice(0, 32), text: chatText(text), kind, ids, ...(isSingle && times), at, target }
}

/** Escapes a text, so that chat systems see no markup, no mention and no link in it. */
function chatText(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  return cellLine(text, 600)
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
    .replace(/[@#!*_~`[\]|]|:(?=\/\/)/g, '$&\u2060')
}

/**
 * Returns the address of the webhook, which is a secret: anyone who has it can post.
 *
 * @param source `env:NAME` or `file:PATH`
 * @throws SuiteConfigurationError in one sentence, which never has the address
 */
export async function readWebhook(source: string, env: NodeJS.ProcessEnv): Promise<URL> {
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(source) ?? []
  if (kind === undefined)
    throw new SuiteConfigurationError('--webhook must be env:NAME or file:PATH, because the address is a secret.')
  const text = kind === 'env' ? env[name] : await readFile(name, 'utf8').catch(() => undefined)
  const url = URL.parse(text?.trim() ?? '')
  if (url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password) return url
  const where = kind === 'env' ? `the variable ${name}` : `the file ${name}`
  throw new SuiteConfigurationError(`--webhook: ${where} must contain an http or https URL without user and password.`)
}

/** Time for all messages of a run, for one attempt, and between attempts, in ms. */
const [maxMs, attemptMs, pauseMs] = [8_000, 4_000, 500]
/** Maximum number of messages that wait for the next run. The oldest ones are dropped. */
const maxWaiting = 500

/**
 * Posts the messages that wait and the new ones, one after the other, within 8 seconds. A message that the receiver surely did not
 * accept is tried again, and then by the next run. If the connection ends or the time is over after the request was sent, the
 * receiver may have the message, so it is never sent again. A message leaves the file before its request leaves the process: a
 * killed run repeats none. Redirects are not followed. Never throws.
 *
 * @param file messages that wait for the next run
 * @param onNotice called with one sentence if messages were not accepted, or are left out as invalid; it never has the address
 */
export async function postMessages(
  url: URL,
  messages: readonly Message[],
  file: string,
  onNotice: (sentence: string) => void,
): Promise<void> {
  const deadline = AbortSignal.timeout(maxMs)
  try {
    const earlier = readKept(file, 'Message', 'message', onNotice).map(([, message]) => message)
    const all = [...earlier, ...messages].slice(-maxWaiting)
    if (all.length === 0) return
    const store = (waiting: readonly Message[]) => writeWhole(file, `${JSON.stringify(waiting)}\n`)
    let [done, problem]: [number, string | undefined] = [0, undefined]
    for (const message of all) {
      if (deadline.aborted || problem !== undefined) break
      await store(all.slice(done + 1))
      const result = await deliver(url, message, deadline)
      problem = result.problem
      if (!result.isUnsent) done++
    }
    await store(all.slice(done))
    const left = done < all.length ? `; ${all.length - done} wait for the next run` : ''
    if (problem !== undefined || left)
      onNotice(`The webhook did not accept a message: ${problem ?? 'no time left'}${left}.`)
  } catch (error) {
    const { code = 'error' }: NodeJS.ErrnoException = Object(error) // of the file system
    onNotice(`The webhook's messages cannot be stored, so none is sent: ${code}.`)
  }
}

/** What became of a message. `isUnsent`: the receiver surely did not accept it. `isFinal`: a repetition would not help. */
interface Delivery {
  readonly problem?: string
  readonly isUnsent: boolean
  readonly isFinal: boolean
}

/** Sends a message until the receiver accepts it, may have it, or the time is over. */
async function deliver(url: URL, message: Message, deadline: AbortSignal): Promise<Delivery> {
  for (let attempt = 1; ; attempt++) {
    const delivery = await post(url, message, deadline)
    if (delivery.isFinal || attempt === 3) return delivery
    await sleep(pauseMs * attempt, undefined, { signal: deadline }).catch(() => {})
    if (deadline.aborted) return delivery
  }
}

/** Errors of a connection that never carried the request. */
const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

async function post(url: URL, message: Message, deadline: AbortSignal): Promise<Delivery> {
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', redirect: 'manual', body: JSON.stringify(message) },
      headers: { 'content-type': 'application/json', 'idempotency-key': message.id },
      signal: AbortSignal.any([deadline, AbortSignal.timeout(attemptMs)]),
    })
    await response.body?.cancel()
    if (response.ok) return { isUnsent: false, isFinal: true }
    const isFinal = response.status < 500 && response.status !== 429
    return { problem: `status ${response.status}`, isUnsent: true, isFinal }
  } catch (error) {
    const code = String((error as { cause?: { code?: unknown } }).cause?.code) // what fetch throws
    if (unsentCodes.includes(code)) return { problem: code, isUnsent: true, isFinal: false }
    // The message of the error may have the address.
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { problem: isLate ? 'no response in time' : 'the connection ended', isUnsent: false, isFinal: true }
  }
}
