import { envOf, variableText } from '@cdn/kit/env'
import { httpUrl } from '@cdn/kit/http-url'
import { readInputFile } from '@cdn/kit/input-file'
import { networkReason } from '@cdn/kit/network-reason'
import { retryAfter, sleep } from '@cdn/kit/wait'
import { SuiteConfigurationError } from '../exchange/failure.ts'

/**
 * Returns the address of the webhook, which is a secret: anyone who has it can post.
 *
 * @param source `env:NAME` or `file:PATH`
 * @throws SuiteConfigurationError in one sentence, which does not contain the address
 */
export async function readWebhook(source: string, env: NodeJS.ProcessEnv): Promise<URL> {
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(source) ?? []
  if (kind === undefined)
    throw new SuiteConfigurationError('--webhook must be env:NAME or file:PATH, because the address is a secret.')
  const text = kind === 'env' ? envOf(env, name) : await readInputFile(name).then(String, () => undefined)
  const url = httpUrl(text?.trim() ?? '')
  if (url && !url.username && !url.password) return url
  const where = kind === 'env' ? variableText(name) : 'the file'
  throw new SuiteConfigurationError(`--webhook: ${where} must contain an http or https URL without user and password.`)
}

/** Limits of a post. In ms: the time of one attempt, the pause before the next one, and the longest `Retry-After` that is obeyed. */
const usual = { attempts: 3, attemptMs: 10_000, pauseMs: 1_000, maxPauseMs: 60_000 }

/**
 * Posts a body as JSON. Repeats the post after 429, 5xx or a failed connection. Does not repeat it after another status, which means a
 * refusal, or after a time-out, because the receiver may have accepted the message.
 *
 * @returns why the receiver did not accept the message, without the address; undefined if it accepted it
 */
export async function post(url: URL, body: unknown, options: Partial<typeof usual> = {}): Promise<string | undefined> {
  const { attempts, attemptMs, pauseMs, maxPauseMs } = { ...usual, ...options }
  let reason = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    let pause = pauseMs
    try {
      const { status, headers } = await send(url, body, attemptMs)
      if (status >= 200 && status < 300) return undefined
      reason = `it answered ${status}`
      if (status !== 429 && status < 500) return reason
      pause = retryAfter(headers) ?? pauseMs
      if (pause > maxPauseMs) return `${reason} and asks to wait ${Math.ceil(pause / 1000)} s`
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        return `it did not answer within ${attemptMs / 1000} s`
      reason = networkReason(error) ?? 'the connection failed'
    }
    if (attempt < attempts) await sleep(pause)
  }
  return reason
}

async function send(url: URL, body: unknown, attemptMs: number): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Do not follow a redirect: the message is for this address only.
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
  })
  await response.body?.cancel()
  return response
}
