import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareLines } from '../../tests/support/compare-lines.ts'

/** Lines of one list, ascending by time. There are few different times, ids and texts, so many lines are equal. */
const lines = fc
  .array(
    fc.record({
      time: fc.nat(3),
      id: fc.constantFrom('a', 'b', undefined),
      agent: fc.constantFrom('x', 'y|z', undefined),
    }),
  )
  .map((rows) => rows.sort((a, b) => a.time - b.time))
  .map((rows) =>
    rows.map(({ time, id, agent }) =>
      JSON.stringify({ timestamp: `2026-06-17T14:30:00.00${time}Z`, requestId: id, userAgent: agent, source: 'v2' }),
    ),
  )

test('a comparison returns each line of a read that is not held, as often as it is missing, and counts the lines that the read lacks', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.array(lines, { maxLength: 3 }), async (reading, held) => {
      const result = await compareLines(reading, held)
      const counts = new Map<string, number>()
      for (const text of reading) counts.set(text, (counts.get(text) ?? 0) + 1)
      for (const text of held.flat()) counts.set(text, (counts.get(text) ?? 0) - 1)
      const expected = [...counts].flatMap(([text, count]) => Array<string>(Math.max(0, count)).fill(text))
      expect(result.lines.sort()).toEqual(expected.sort())
      expect(result.missing).toBe([...counts.values()].reduce((sum, count) => sum + Math.max(0, -count), 0))
    }),
  )
})
