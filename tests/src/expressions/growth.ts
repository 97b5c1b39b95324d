/** Maximum growth of the time if a text doubles. Linear time grows by a factor of 2, quadratic time by 4. */
const maxGrowth = 3
/** A shorter time says nothing, because constant costs and the garbage collector hide its growth. In ms. */
const minMs = 10
/** A single run that takes longer than this is a failure, too: no text here is longer than `maxLength`. In ms. */
const maxMs = 500
const [minLength, maxLength] = [2 ** 5, 2 ** 16]

/**
 * Finds a text on which a function takes super-linear time. Measures the processor time of this thread, which other programs do not
 * change much, for texts of the form `pump + pump + ...` whose length doubles. Two doublings in a row must exceed the permitted
 * growth, and a long time is measured again.
 *
 * @param pumps texts to repeat
 * @returns the text to repeat; undefined if the time grows linearly for all of them
 */
export function findGrowth(run: (text: string) => unknown, pumps: readonly string[]): string | undefined {
  return pumps.find((pump) => {
    let [before, exceeded] = [Number.POSITIVE_INFINITY, 0]
    for (let length = minLength; length <= maxLength; length *= 2) {
      const text = `${pump.repeat(Math.ceil(length / pump.length))}\u0001`
      const ms = minTime(() => run(text))
      exceeded = ms > minMs && ms > maxGrowth * before ? exceeded + 1 : 0
      if (exceeded === 2 || ms > maxMs) return true
      before = ms
    }
    return false
  })
}

/** The least time of two runs: an interruption, or the first run before the optimizer, only adds time. */
function minTime(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 2 && least > minMs; n++) {
    const start = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Creates texts to repeat from the source of an expression: its characters and words, and one character of each usual class. */
export function pumpsOf({ source }: RegExp): string[] {
  const words = source.match(/[\w":,./-]{2,}/g) ?? []
  return [...new Set([...source, ...words, ...'aA0 \n\t"\\/.,:;=-_<>{}[]()|&?#%é'])]
}
