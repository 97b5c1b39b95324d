/** One value per element of a list, so that a list with a known length has results with the same length. */
export type Each<List extends readonly unknown[], Value> = { readonly [Index in keyof List]: Value }

/** Like `map`, but the type keeps the length of the list. */
export function mapEach<const List extends readonly unknown[], Value>(
  list: List,
  to: (element: List[number], index: number) => Value,
): Each<List, Value> {
  return list.map(to) as Each<List, Value> // `map` keeps the length
}
