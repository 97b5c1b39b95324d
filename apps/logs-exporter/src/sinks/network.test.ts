import { afterEach, expect, test, vi } from 'vitest'
import { SinkError } from '../errors.ts'
import { withRetries } from './network.ts'

afterEach(() => vi.restoreAllMocks())

// Four time-outs would take 20 min. Health counts a process without a sign of life as dead before that.
test.each([
  ['fails quickly is sent four times', [0], 4],
  ['times out is sent once', [300_000], 1],
  ['times out after a quick failure is sent twice', [0, 300_000], 2],
])('a request that %s', async (_, durationsMs, expected) => {
  let time = 0
  let sent = 0
  vi.spyOn(performance, 'now').mockImplementation(() => time)
  vi.spyOn(Math, 'random').mockReturnValue(0) // no pauses
  const request = async () => {
    time += durationsMs[sent++] ?? 0
    throw new SinkError('transient', 'no response')
  }
  await expect(withRetries(new AbortController().signal, request)).rejects.toThrow('no response')
  expect(sent).toBe(expected)
})
