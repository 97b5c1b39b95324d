import type { HandlerRequest } from '../handler.ts'
import type { EmulatorResponse } from './messages.ts'
import { json } from './refuse.ts'

/**
 * Returns a list of the management interface (supplement). Without `page` the response is a plain array; for `page` 1 and higher
 * it is an object with one page. `search` selects items whose name contains the text, and ignores case.
 *
 * @param items all items, in a stable order
 * @param show converts an item to JSON
 */
export function listResponse<T extends { readonly name: string }>(
  items: Iterable<T>,
  show: (item: T) => object,
  { parameters, context: { variants } }: Pick<HandlerRequest, 'parameters' | 'context'>,
): EmulatorResponse {
  const search = String(parameters['search'] ?? '').toLowerCase()
  const matches = [...items].filter(({ name }) => name.toLowerCase().includes(search))
  const page = Number(parameters['page'])
  if (page === 0 && variants.listWithoutPage === 'array') return json(200, matches.map(show))
  const perPage = Number(parameters['perPage'])
  const start = Math.max(0, page - 1) * perPage
  return json(200, {
    Items: matches.slice(start, start + perPage).map(show),
    CurrentPage: page,
    TotalItems: matches.length,
    HasMoreItems: start + perPage < matches.length,
  })
}
