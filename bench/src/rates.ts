import { defined } from '@cdn/kit/defined'

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
export async function compare<const Loads extends readonly Load[]>(loads: Loads): Promise<Each<Loads, number>> {
  const rates: number[][] = loads.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, load] of loads.entries()) {
      const start = performance.now()
      const count = await load(roundMs)
      const rate = (count * 1000) / (performance.now() - start)
      if (round >= 0) defined(rates[index]).push(rate)
    }
  }
  return mapEach(loads, (_, index) => median(defined(rates[index])))
}

/** @returns the median of a list that is not empty */
export function median(values: readonly number[]): number {
  return defined(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)])
}

/** One value per element of a list, so that a list with a known length has results with the same length. */
export type Each<List extends readonly unknown[], Value> = { readonly [Index in keyof List]: Value }

/** Like `map`, but the type keeps the length of the list. */
export function mapEach<const List extends readonly unknown[], Value>(
  list: List,
  to: (element: List[number], index: number) => Value,
): Each<List, Value> {
  return list.map(to) as Each<List, Value> // `map` keeps the length
}
