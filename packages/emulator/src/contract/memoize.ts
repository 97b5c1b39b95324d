/** Caches the results of a function by its first argument. The other arguments must not affect the result. */
export function memoize<Key extends object, Rest extends unknown[], Result extends object>(
  read: (key: Key, ...rest: Rest) => Result,
): typeof read {
  const known = new WeakMap<Key, Result>()
  return (key, ...rest) => {
    const result = known.get(key) ?? read(key, ...rest)
    known.set(key, result)
    return result
  }
}
