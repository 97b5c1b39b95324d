import { expect, test } from 'vitest'
import { withTimeOuts } from './time-outs.ts'

const url = 'http://target.invalid'
const never: typeof fetch = async (_, { signal } = {}) => {
  signal?.throwIfAborted()
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

test('the time-out for a silent target shrinks until it answers again', async () => {
  let isSilent = true
  const send = withTimeOuts((input, init) => (isSilent ? never(input, init) : Promise.resolve(new Response())), {
    firstByteMs: 20,
    silentAfter: 2,
    silentMs: 5,
  })
  const reasons: string[] = []
  for (let sent = 0; sent < 3; sent++) await send(url).catch((error: Error) => reasons.push(error.message))
  expect(reasons).toEqual(['no response within 20 ms', 'no response within 20 ms', 'no response within 5 ms'])
  isSilent = false
  expect((await send(url)).status).toBe(200)
  isSilent = true
  await expect(send(url)).rejects.toThrow('no response within 20 ms')
})

test("an interruption does not count as silence and has its caller's reason", async () => {
  const send = withTimeOuts(never, { firstByteMs: 10_000 })
  await expect(send(url, { signal: AbortSignal.abort(new Error('interrupted')) })).rejects.toThrow('interrupted')
})
