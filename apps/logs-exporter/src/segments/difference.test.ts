import fc from 'fast-check'
import { expect, test } from 'vitest'
import { difference, groupLines } from './difference.ts'

/** A row with few possible times, ids and texts, so that many rows are equal. */
const row = fc.record({
  time: fc.nat(3),
  id: fc.constantFrom('a', 'b', null),
  agent: fc.constantFrom('x', 'y|z', null),
})
type Row = { time: number; id: string | null; agent: string | null }

test('returns each row of a read that is not held, as often as it is missing, and counts the rows that the read lacks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row), fc.array(fc.array(row), { maxLength: 3 }), async (reading, held) => {
      const { lines, missing } = await compare(reading, held)
      const counts = new Map<string, number>()
      for (const text of reading.map(line)) counts.set(text, (counts.get(text) ?? 0) + 1)
      for (const text of held.flat().map(line)) counts.set(text, (counts.get(text) ?? 0) - 1)
      const expected = [...counts].flatMap(([text, count]) => Array<string>(Math.max(0, count)).fill(text))
      expect(lines.sort()).toEqual(expected.sort())
      expect(missing).toBe([...counts.values()].reduce((sum, count) => sum + Math.max(0, -count), 0))
    }),
  )
})

async function compare(reading: readonly Row[], held: readonly (readonly Row[])[]) {
  const sides = held.map((rows) => groupLines(pieces(rows)))
  const lines: string[] = []
  let missing = 0
  for await (const added of difference(groupLines(pieces(reading)), sides)) {
    lines.push(...added.lines)
    missing += added.missing
  }
  return { lines, missing }
}

/** Whole lines, several per piece. */
async function* pieces(rows: readonly Row[]): AsyncGenerator<Uint8Array> {
  const lines = [...rows].sort((a, b) => a.time - b.time).map((row) => `${line(row)}\n`)
  for (let at = 0; at < lines.length; at += 3) yield Buffer.from(lines.slice(at, at + 3).join(''))
}

function line({ time, id, agent }: Row): string {
  const fields = {
    timestamp: `2026-06-17T14:30:00.00${time}Z`,
    ...(id !== null && { requestId: id }),
    ...(agent !== null && { userAgent: agent }),
  }
  return JSON.stringify({ ...fields, source: 'v2' })
}
