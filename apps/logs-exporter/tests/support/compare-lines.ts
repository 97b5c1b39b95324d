import { difference, groupLines } from '../../src/segments/difference.ts'

/** The lines of a read that no held list has, and the number of held lines that the read lacks. All lists ascend by time. */
export async function compareLines(reading: readonly string[], held: readonly (readonly string[])[]) {
  const result = { lines: [] as string[], missing: 0 }
  const sides = held.map((lines) => groupLines(pieces(lines)))
  for await (const { lines, missing } of difference(groupLines(pieces(reading)), sides)) {
    result.lines.push(...lines)
    result.missing += missing
  }
  return result
}

/** Three lines per piece. */
async function* pieces(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < lines.length; at += 3) yield Buffer.from(`${lines.slice(at, at + 3).join('\n')}\n`)
}
