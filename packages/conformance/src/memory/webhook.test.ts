import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '@cdn/kit/testing/listen'
import { afterEach, describe, expect, test } from 'vitest'
import { post, readWebhook } from './webhook.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

let close = () => {}
afterEach(() => close())

/** Starts a receiver that uses one answer per post, and then repeats the last answer. */
async function receiver(...answers: readonly Answer[]) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    bodies.push(text)
    answers[Math.min(bodies.length, answers.length) - 1]?.(response, request)
  })
  const origin = await listen(server)
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { bodies, url: new URL('/secret-path', origin) }
}

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('no')
const fast = { pauseMs: 1 }

test('a message is one post of JSON', async () => {
  const { url, bodies } = await receiver(answer(200))
  expect(await post(url, { text: 'é' })).toBeUndefined()
  expect(bodies).toEqual(['{"text":"é"}'])
})

describe('a receiver', () => {
  test.each<[string, readonly Answer[], number, string | undefined]>([
    ['that refuses gets it once', [answer(404)], 1, 'it answered 404'],
    ['that is overloaded twice gets it again', [answer(503), answer(500), answer(204)], 3, undefined],
    [
      'that limits gets it after the pause that it asks for',
      [answer(429, { 'retry-after': '0' }), answer(200)],
      2,
      undefined,
    ],
    [
      'that asks for an hour is left alone',
      [answer(429, { 'retry-after': '3600' })],
      1,
      'it answered 429 and asks to wait 3600 s',
    ],
    ['that stays overloaded gets it three times', [answer(500)], 3, 'it answered 500'],
    [
      'that redirects gets it once, and the other address nothing',
      [answer(307, { location: '/other' })],
      1,
      'it answered 307',
    ],
    ['that hangs may have it, so it is not sent again', [() => {}], 1, 'it did not answer within 0.2 s'],
    ['that closes the connection gets it again', [(response) => void response.destroy(), answer(200)], 2, undefined],
  ])('%s', async (_, answers, count, reason) => {
    const { url, bodies } = await receiver(...answers)
    expect(await post(url, { text: 'x' }, reason?.includes('0.2 s') ? { ...fast, attemptMs: 200 } : fast)).toBe(reason)
    expect(bodies).toHaveLength(count)
  })

  test('that is not there is named by its error, never by its address', async () => {
    const reason = await post(new URL('http://127.0.0.1:1/secret-path'), {}, fast)
    expect(reason).toMatch(/\w/)
    expect(reason).not.toContain('secret')
  })

  test('whose pause is a date gets it at that time', async () => {
    const { url, bodies } = await receiver(
      answer(429, { 'retry-after': new Date(Date.now() - 5_000).toUTCString() }),
      answer(200),
    )
    expect(await post(url, {}, fast)).toBeUndefined()
    expect(bodies).toHaveLength(2)
  })
})

describe('the address', () => {
  test('comes from a variable', async () => {
    expect((await readWebhook('env:HOOK', { HOOK: ' https://a.invalid/x\n' })).href).toBe('https://a.invalid/x')
  })

  test.each([
    ['https://a.invalid/x', '--webhook must be env:NAME or file:PATH'],
    ['env:HOOK', 'the environment variable HOOK must contain an http or https URL'],
    ['env:https://hooks.invalid/secret', 'must contain'],
    ['file:/none', 'the file must contain'],
  ])('%s is refused without the address', async (source, sentence) => {
    await expect(readWebhook(source, { HOOK: 'ftp://a.invalid' })).rejects.toThrow(sentence)
    await expect(readWebhook(source, { HOOK: 'ftp://a.invalid' })).rejects.not.toThrow(/hooks\.invalid|a\.invalid/)
  })
})
