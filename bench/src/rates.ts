/** Repeats an operation for a time and returns the number of repetitions. */
export type Load = (milliseconds: number) => Promise<number>

const rounds = 5
const roundMs = 1_000

/**
 * Measures several subjects alternately, so that other load on the machine affects all of them. The result is the median of the
 * rounds; the first round is a warm-up and does not count.
 *
 * @returns operations per second, in the order of the loads
 */
export async function compare(loads: readonly Load[]): Promise<number[]> {
  const rates: number[][] = loads.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, load] of loads.entries()) {
      const start = performance.now()
      const count = await load(roundMs)
      const rate = (count * 1000) / (performance.now() - start)
      if (round >= 0) rates[index]?.push(rate)
    }
  }
  return rates.map(median)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
