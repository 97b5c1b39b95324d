import { hash } from 'node:crypto'
import { collect } from '@cdn/kit/testing/collect'
import { expect, test } from 'vitest'
import type { SegmentId } from '../../src/segments/segment.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { contents, line, publish, signal, toLines, windowAt } from './lines.ts'

/**
 * Tests for every sink that stores segments.
 *
 * @param open opens a sink at a place; two sinks with the same name share one place
 */
export function sinkContract(open: (place: string) => Promise<Sink>): void {
  const first = windowAt(0)
  const texts = [line(first, 0) + line(first, 1, { path: '/ä?"\\' }), line(first, 1, { path: '/ä?"\\' })]

  test('a published segment is listed and read back, in this process and the next', async () => {
    const sink = await open('read-back')
    await sink.check(signal)
    const { outcome, segment } = await publish(sink, first, texts)
    const content = { rows: 3, sha256: hash('sha256', texts.join('')) }
    expect({ outcome, ...segment }).toMatchObject({ outcome: 'published', ...first, revision: 0, ...content })
    expect(segment.bytes).toBeGreaterThan(0)
    for (const reader of [sink, await open('read-back')]) {
      expect(await collect(reader.segments(first, signal))).toEqual([segment])
      expect(await contents(reader)).toEqual({ '2026-06-17T14:30:00.000Z r0': texts.join('') })
      await reader.close()
    }
  })

  test('a segment is invisible before it is published, and after it is discarded', async () => {
    const sink = await open('discarded')
    const writer = await sink.begin({ ...first, revision: 0 }, signal)
    await writer.write(toLines(texts.join('')))
    expect(await contents(sink)).toEqual({})
    await writer.discard()
    expect(await contents(sink)).toEqual({})
    expect(await publish(sink, first, texts)).toMatchObject({ outcome: 'published' })
    await sink.close()
  })

  test('the first of two writers wins; equal content does not count as a loss', async () => {
    const [ours, theirs] = [await open('race'), await open('race')]
    const [a, b] = [
      await ours.begin({ ...first, revision: 0 }, signal),
      await theirs.begin({ ...first, revision: 0 }, signal),
    ]
    await Promise.all([a.write(toLines(texts.join(''))), b.write(toLines(line(first, 7)))])
    const outcomes = await Promise.all([a.publish(), b.publish()])
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'published'])
    const [one, other] = outcomes
    expect(one.segment.sha256).toBe(other.segment.sha256) // both refer to the published segment
    const won = one.outcome === 'published' ? texts : [line(first, 7)]
    expect(await publish(theirs, first, won)).toEqual({ outcome: 'published', segment: one.segment })
    expect(Object.values(await contents(ours))).toEqual([won.join('')])
    await Promise.all([ours.close(), theirs.close()])
  })

  test('a range lists the segments that overlap it, in order of window and revision', async () => {
    const sink = await open('order')
    for (const n of [13, 5, 2, 0, 1]) await publish(sink, windowAt(n), [line(windowAt(n), 0)])
    for (let revision = 1; revision <= 11; revision++)
      await publish(sink, windowAt(1), [line(windowAt(1), revision)], { revision })
    await publish(sink, windowAt(1, '12'), [line(windowAt(1, '12'), 0)])
    const range = { zone: '4711', from: windowAt(1).from + 1, to: windowAt(2).from + 1 }
    const nameOf = ({ from, revision }: SegmentId) => `${(from - first.from) / 300_000} r${revision}`
    const expected = [...Array.from({ length: 12 }, (_, n) => `1 r${n}`), '2 r0']
    expect((await collect(sink.segments(range, signal))).map(nameOf)).toEqual(expected)
    expect((await collect(sink.list(range, signal))).map(nameOf)).toEqual(expected)
    expect(Object.keys(await contents(sink))).toHaveLength(16)
    expect((await collect(sink.zones(signal))).sort()).toEqual(['12', '4711'])
    await sink.close()
  })

  test('an aborted signal ends the write, and the segment stays invisible', async () => {
    const sink = await open('aborted')
    const stop = new AbortController()
    const writer = await sink.begin({ ...first, revision: 0 }, stop.signal)
    await writer.write(toLines(texts.join('')))
    stop.abort()
    await expect(writer.publish()).rejects.toMatchObject({ name: 'AbortError' })
    await writer.discard()
    expect(await contents(sink)).toEqual({})
    await sink.close()
  })
}
