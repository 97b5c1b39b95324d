/** Posts the messages of a night to a webhook, at most once each. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SuiteConfigurationError } from '../core/failure.ts'
import { makeFolder, writeWhole } from '../core/files.ts'
import type { Message } from './messages.ts'

/** Time for all messages of a run, for one attempt, and between attempts, in ms. */
const [maxMs, attemptMs, pauseMs] = [8_000, 4_000, 500]
/** Maximum number of messages that wait for the next run. The oldest ones are dropped. */
const maxWaiting = 500

/** Path of the messages that the receiver refused, next to the history. */
export function waitingFile(out: string): string {
  return join(dirname(resolve(out)), 'webhook.json')
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

/** `sent`: accepted, or the receiver may have accepted it. `refused`: surely not accepted. */
type Delivery = 'sent' | 'refused'

/**
 * Posts the messages that wait and the new ones, one after the other, within 8 seconds. A message that the receiver surely did not
 * accept is tried again, and then by the next run. If the connection ends or the time is over after the request was sent, the
 * receiver may have the message, so it is never sent again. A message leaves the file before its request leaves the process: a
 * killed run repeats none. Redirects are not followed. Never throws.
 *
 * @param file messages that wait for the next run
 * @param onNotice called with one sentence if messages were not accepted; it never has the address
 */
export async function postMessages(
  url: URL,
  messages: readonly Message[],
  file: string,
  onNotice: (sentence: string) => void,
): Promise<void> {
  const deadline = AbortSignal.timeout(maxMs)
  try {
    let waiting = [...(await readWaiting(file)), ...messages].slice(-maxWaiting)
    if (waiting.length === 0) return
    await makeFolder(dirname(file))
    const store = () => writeWhole(file, `${JSON.stringify(waiting)}\n`)
    await store()
    let problem: string | undefined
    for (const message of [...waiting]) {
      if (deadline.aborted || problem !== undefined) break
      const { id } = message
      waiting = waiting.filter((one) => one.id !== id)
      await store()
      const { delivery, reason } = await deliver(url, message, deadline)
      problem = reason
      if (delivery === 'refused') waiting = [message, ...waiting]
      await store()
    }
    const left = waiting.length > 0 ? `; ${waiting.length} wait for the next run` : ''
    if (problem !== undefined || left)
      onNotice(`The webhook did not accept a message: ${problem ?? 'no time left'}${left}.`)
  } catch (error) {
    onNotice(
      `The webhook's messages cannot be stored, so none is sent: ${(error as NodeJS.ErrnoException).code ?? 'error'}.`,
    ) // of the file system
  }
}

async function readWaiting(file: string): Promise<Message[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(value) ? value.filter((one) => typeof one?.id === 'string') : []
  } catch {
    return []
  }
}

/** Sends a message until the receiver accepts it, may have it, or the time is over. */
async function deliver(
  url: URL,
  message: Message,
  deadline: AbortSignal,
): Promise<{ readonly delivery: Delivery; readonly reason?: string }> {
  for (let attempt = 1; ; attempt++) {
    const result = await post(url, message, deadline)
    if (result.delivery === 'sent' || result.isFinal || attempt === 3 || deadline.aborted) return result
    await sleep(pauseMs * attempt, undefined, { signal: deadline }).catch(() => {})
    if (deadline.aborted) return result
  }
}

/** Errors of a connection that never carried the request. */
const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

async function post(url: URL, message: Message, deadline: AbortSignal) {
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', redirect: 'manual', body: JSON.stringify(message) },
      headers: { 'content-type': 'application/json', 'idempotency-key': message.id },
      signal: AbortSignal.any([deadline, AbortSignal.timeout(attemptMs)]),
    })
    await response.body?.cancel()
    if (response.ok) return { delivery: 'sent' } as const
    const isFinal = response.status < 500 && response.status !== 429
    return { delivery: 'refused', reason: `status ${response.status}`, isFinal } as const
  } catch (error) {
    const code = String((error as { cause?: { code?: unknown } }).cause?.code) // what fetch throws
    if (unsentCodes.includes(code)) return { delivery: 'refused', reason: code, isFinal: false } as const
    // The message of the error may have the address.
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { delivery: 'sent', reason: isLate ? 'no response in time' : 'the connection ended' } as const
  }
}
