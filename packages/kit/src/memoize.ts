/**
 * Returns a function that computes each result once, and keeps it as long as its first argument lives. The other arguments must not affect
 * the result.
 */
export function memoize<Key extends object, Rest extends unknown[], Result>(
  compute: (key: Key, ...rest: Rest) => Result,
): typeof compute {
  const results = new WeakMap<Key, { readonly result: Result }>()
  return (key, ...rest) => {
    const known = results.get(key)
    if (known) return known.result
    const result = compute(key, ...rest)
    results.set(key, { result })
    return result
  }
}
