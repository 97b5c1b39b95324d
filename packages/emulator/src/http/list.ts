import type { Item, Schema } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { fieldsOf } from '@cdn/kit/resources'
import type { Variants } from '../variants/variants.ts'
import type { ParameterValue } from './parameters.ts'

/** What decides about the form of a list. */
interface ListForm {
  /** Schema of the response: an array, a page with an array, or a choice of both. */
  readonly schema: Schema
  /** The document that the references of the schema point into. */
  readonly api: object
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>
  readonly variants: Variants
}

/**
 * Creates the body of a list, in the form that the contract states. If it states an array and a page, the response without `page` is
 * the array. `search` selects the items with this text in their name, or in any text if they have no name. Case is ignored.
 *
 * @param items all items, in a stable order
 * @param show converts an item to JSON
 */
export function listBody(items: readonly Item[], show: (item: Item) => Item, form: ListForm): unknown {
  const { schema, api, parameters, variants } = form
  const search = String(parameters['search'] ?? '').toLowerCase()
  const matches = search === '' ? items : items.filter((item) => textOf(item).toLowerCase().includes(search))
  const choices = [schema.oneOf ?? schema.anyOf ?? [schema]].flat().map((each) => toRecord(followReference(api, each)))
  const page = choices.find(({ items: list }) => !list)
  const isArray = choices.length > (page ? 1 : 0)
  const number = Number(parameters['page'] ?? 0)
  if (!page || (isArray && number === 0 && variants.listWithoutPage === 'array')) return matches.map(show)
  const perPage = Number(parameters['perPage'] ?? parameters['itemsPerPage'] ?? matches.length)
  const start = Math.max(0, number - 1) * perPage
  const fields = fieldsOf(page, (node) => followReference(api, node))
  const values: Readonly<Record<string, unknown>> = {
    currentpage: number,
    totalitems: matches.length,
    hasmoreitems: start + perPage < matches.length,
    itemsperpage: perPage,
  }
  const valueIn = ([name, field]: [string, object]) =>
    'items' in field ? matches.slice(start, start + perPage).map(show) : values[name.toLowerCase()]
  return Object.fromEntries(Object.entries(fields).map((entry) => [entry[0], valueIn(entry)]))
}

function textOf(item: Item): string {
  const texts =
    typeof item['Name'] === 'string' ? [item['Name']] : Object.values(item).filter((value) => typeof value === 'string')
  return texts.join('\n')
}
