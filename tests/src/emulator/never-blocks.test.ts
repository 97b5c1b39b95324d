/** During a long read of a busy zone, other callers get responses. A late slice of a file takes no longer than an early one. */
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { outsideOf, startProcess } from './outside.ts'

const day = '06-16-26'
const zone = '777'
/** Number of rows of the day. One in twelve rows is a request to the origin shield. */
const rows = 80_000
const shown = Math.floor((rows * 11) / 12)

async function begin() {
  const { ready, stop } = await startProcess(['--clock', 'virtual'])
  const outside = outsideOf(ready)
  const traffic = { method: 'POST', body: JSON.stringify({ zones: [zone], rowsPerSecond: rows / 86_400 }) }
  await fetch(new URL('_emulator/traffic', ready.loggingUrl), traffic)
  return { outside, stop }
}

test.each([
  ['v1: a search without a match', `${day}/${zone}.log?search=nothing-has-this`],
  ['v1: a class without a row', `${day}/${zone}.log?status=1`],
  ['v1: the whole file', `${day}/${zone}.log`],
  [
    'v2: a filter without a match',
    `v2/pullzones/${zone}/logs?from=2026-06-16T00:00:00Z&to=2026-06-17T00:00:00Z&urlContains=nothing-has-this`,
  ],
])('%s does not block other callers', async (_, path) => {
  const { outside, stop } = await begin()
  try {
    let isDone = false
    const long = outside.logging(path).then(async (response) => {
      await response.text()
      isDone = true
      return response.status
    })
    const others: number[] = []
    while (!isDone) others.push((await outside.management('pullzone/2001')).status)
    expect(await long).toBe(200)
    // Without slices of work, at most one other request would be served during the read.
    expect(others.length).toBeGreaterThan(5)
    expect(new Set(others)).toEqual(new Set([200]))
  } finally {
    await stop()
  }
})

test('slices of a day have each line once, up to the last', async () => {
  const { outside, stop } = await begin()
  try {
    const read = async (query: string) =>
      (await (await outside.logging(`${day}/${zone}.log?sort=asc&${query}`)).text()).split('\n').filter(Boolean)
    const all = await read('')
    expect(Math.abs(all.length / shown - 1)).toBeLessThan(0.01)
    const bounds = [0, 1, 30_000, 30_001, 50_007, all.length - 10, all.length]
    const slices = []
    for (const [index, start] of bounds.slice(0, -1).entries())
      slices.push(await read(`start=${start}&end=${bounds[index + 1]}`))
    expect(slices.map(({ length }) => length)).toEqual(
      bounds.slice(1).map((end, index) => end - defined(bounds[index])),
    )
    const times = (lines: readonly string[]) => lines.map((line) => line.split('|')[2]).join()
    expect(times(slices.flat()) === times(all)).toBe(true)
    expect((await outside.logging(`${day}/${zone}.log?start=${all.length}`)).status).toBe(204)
  } finally {
    await stop()
  }
})
