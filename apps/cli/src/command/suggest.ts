/**
 * Finds the name that was probably meant.
 *
 * @returns the nearest name; undefined where none is near
 */
export function suggest(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const begun = names.filter((name) => lower.length > 1 && name.toLowerCase().startsWith(lower))
  if (begun.length === 1) return begun[0]
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.name
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) between two short words. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const at = (line: readonly number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? a.length
}
