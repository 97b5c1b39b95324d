/** Does something for a while, and says how often it was done. */
export type Load = (milliseconds: number) => Promise<number>

const rounds = 5
const roundMs = 1_000

/**
 * Rates of several subjects in one run: they take turns, so that whatever else the machine does meets all of them, and
 * the median of the rounds counts. The first turn of each warms up and is left out.
 *
 * @returns operations a second, in the order of the loads
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
