import { entryColumns } from './columns.ts'

/** Names of the contract's fields, in the contract's order. */
export const contractOrder: readonly string[] = entryColumns.map(({ name }) => name)

/**
 * Learns the order in which the platform sends the fields of an entry. JSON has no order of members, and a platform that omits null
 * fields never shows all of them in one row.
 *
 * @param onChange called with the new order of all fields of the contract
 * @returns a function that learns from one row
 */
export function createOrderLearner(onChange: (order: readonly string[]) => void): (row: object) => void {
  const followers = new Map(contractOrder.map((name) => [name, new Set<string>()]))
  let order = contractOrder
  return (row) => {
    let previous: Set<string> | undefined
    let isNew = false
    for (const name of Object.keys(row)) {
      const next = followers.get(name)
      if (next === undefined) continue
      if (previous && !previous.has(name)) isNew = Boolean(previous.add(name))
      previous = next
    }
    if (!isNew) return
    const sorted = sort(followers)
    if (sorted.join() !== order.join()) onChange(sorted)
    order = sorted
  }
}

/** Sorts names topologically: each stands before its followers. If rows contradict each other, some names do not. */
function sort(followers: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const sorted: string[] = []
  const visited = new Set<string>()
  const visit = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const next of followers.get(name) ?? []) visit(next)
    sorted.unshift(name)
  }
  for (const name of contractOrder.toReversed()) visit(name)
  return sorted
}
