import { stringifyJson } from '@cdn/kit/json'
import type { Client } from 'openapi-fetch'
import { unwrap } from '../errors/api-error.ts'
import type { BodyOf } from '../response-types.ts'

type QueryOf<Item> = Item extends { get: { parameters: { query?: infer Query } } } ? NonNullable<Query> : never
type ListOf<Item> = Item extends { get: { responses: { 200: infer Response } } } ? BodyOf<Response> : never

/** The paths of the lists: their `get` has the parameters `page` and `perPage`. */
export type ListPath<Paths> = {
  [Path in keyof Paths]: [QueryOf<Paths[Path]>] extends [never]
    ? never
    : 'page' | 'perPage' extends keyof QueryOf<Paths[Path]>
      ? Path
      : never
}[keyof Paths] &
  string

/** The type of an item of a list. If the contract states both an array and a page, the array decides. */
export type ListItem<Paths, Path extends keyof Paths> =
  Extract<ListOf<Paths[Path]>, readonly unknown[]> extends never
    ? ListOf<Paths[Path]> extends { Items: readonly (infer Item)[] }
      ? Item
      : never
    : Extract<ListOf<Paths[Path]>, readonly unknown[]>[number]

export interface PaginateOptions<Query> {
  /** Further parameters of the list, such as `search`. */
  readonly query?: Omit<Query, 'page' | 'perPage'>
  readonly signal?: AbortSignal
}

/** `paginate` cannot prove that it has every item of a list. It throws this error instead of omitting items. */
export class IncompleteListError extends Error {
  override readonly name = 'IncompleteListError'
}

interface Page {
  readonly Items: readonly { readonly Id?: unknown }[]
  readonly TotalItems: number
  readonly HasMoreItems: boolean
}

/** Maximum number of items in a page (supplement). */
const maxSize = 1000
/** Maximum number of consecutive pages without a new item. Insertions before the position of the reader cause such pages. */
const maxStalled = 10
/** Minimum number of items of previous pages that the next page repeats. A page is read again only if more items were removed. */
const firstOverlap = 20

/**
 * Reads a list page by page. Each page repeats the end of the previous ones. A page without a known item may follow a gap, because
 * items were removed, so it is read again from further back. So the list is complete even if other clients change it: each item
 * that exists during the whole read is returned once, provided that the platform keeps the order of the items.
 *
 * @param client a client with this list, such as `createManagementClient()`
 * @param path path of the list, such as `/pullzone`
 * @returns the items, each `Id` once, in the order of the platform. An item that is added or removed during the read may be missing
 * @throws IncompleteListError if the list cannot be read completely; errors of `unwrap`
 *
 * @example
 * for await (const zone of paginate(client, '/pullzone', { query: { search: 'shop' } })) console.log(zone.Name)
 */
export async function* paginate<Paths extends object, Path extends ListPath<Paths>>(
  client: Client<Paths>,
  path: Path,
  { query, signal }: PaginateOptions<QueryOf<Paths[Path]>> = {},
): AsyncGenerator<ListItem<Paths, Path>, void, undefined> {
  // Safe: `ListPath` permits only lists that the client has, and `faultOf` checks each page.
  const get = client.GET as unknown as (path: string, init: object) => Promise<{ data?: Page; response: Response }>
  const incomplete = (why: string) => new IncompleteListError(`The list GET ${path} cannot be read completely: ${why}.`)
  const seen = new Set<string>()
  let next = 0
  let overlap = firstOverlap
  for (let stalled = 0; stalled < maxStalled; ) {
    const { page, perPage } = pageBefore(next - overlap)
    const list = await unwrap(get(path, { params: { query: { ...query, page, perPage } }, ...(signal && { signal }) }))
    const fault = faultOf(list, perPage)
    if (fault) throw incomplete(fault)
    const { Items: items, TotalItems: total, HasMoreItems: hasMore } = list
    const ids = items.map(idOf)
    const before = seen.size
    if (page > 1 && !ids.some((id) => seen.has(id))) {
      overlap *= 2
      continue
    }
    for (const [index, id] of ids.entries()) {
      if (seen.has(id)) continue
      seen.add(id)
      yield items[index] as ListItem<Paths, Path>
    }
    if (!hasMore && seen.size < total) throw incomplete(`the platform has ${total} items and returned ${seen.size}`)
    if (!hasMore) return
    next = (page - 1) * perPage + items.length
    overlap = firstOverlap
    stalled = seen.size > before ? 0 : stalled + 1
  }
  throw incomplete(`${maxStalled} pages in succession have no new item`)
}

const idOf = ({ Id }: Page['Items'][number]) => stringifyJson(Id) ?? ''

/** Returns what is wrong with a single page, or undefined. Does not compare it with other pages. */
function faultOf(list: Page, perPage: number): string | undefined {
  if (!Array.isArray(list?.Items)) return 'the response is not a page'
  const { length } = list.Items
  if (list.HasMoreItems && length !== perPage) return `a page has ${length} items instead of ${perPage}`
  return list.Items.some((item) => idOf(item) === '') ? 'an item has no Id' : undefined
}

/**
 * Chooses the page that covers a position and reaches furthest beyond it. Pages start at multiples of their size, so a
 * smaller size moves the start.
 */
function pageBefore(position: number): { page: number; perPage: number } {
  if (position <= maxSize / 2) return { page: 1, perPage: maxSize }
  const least = Math.ceil(position / maxSize)
  const choices = Array.from({ length: least + 1 }, (_, more) => {
    const before = least + more
    return { page: before + 1, perPage: Math.floor(position / before) }
  })
  return choices.reduce((best, each) => (each.page * each.perPage > best.page * best.perPage ? each : best))
}
