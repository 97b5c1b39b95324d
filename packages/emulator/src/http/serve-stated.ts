import {
  contracts,
  type Item,
  type OpenApi,
  type Operation,
  type PredictedOutcome,
  type Schema,
  type StatedOperation,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { stringifyJson } from '@cdn/kit/json'
import { camelCase } from '@cdn/kit/letter-case'
import { memoize } from '@cdn/kit/memoize'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { fieldsOf, itemsOf } from '@cdn/kit/resources'
import type { EmulatorResponse } from '../exchange/messages.ts'
import { empty, json, jsonText, refuse } from '../exchange/refuse.ts'
import type { HandlerRequest } from '../platform/handler.ts'
import { blankOf } from '../platform/state/resources.ts'
import type { Variants } from '../variants/variants.ts'

/**
 * Serves an operation by the resource and the change that the contract states (`x-resource`, `x-change`): reads and lists show the
 * resources, and all other operations change them. If the contract permits several outcomes, the variants decide.
 */
export function serveStated(
  operation: StatedOperation,
  { context: { state, variants, clock }, parameters, body }: HandlerRequest,
): EmulatorResponse {
  const outcomes = state.resources.outcomes(operation, { path: parameters, body })
  const outcome = choose(outcomes, operation, variants)
  if (outcome.kind !== 'done') return refuseOutcome(outcome.kind, operation, variants)
  const { api, success, isOpen, lists413 } = factsOf(operation)
  if (lists413 && ArrayBuffer.isView(body) && body.byteLength > variants.watermarkLimit)
    return refuse(operation, 413, { message: `The body has more than ${variants.watermarkLimit} bytes.` }, variants)
  state.resources.all = outcome.state

  // Where the spec leaves the status open, a variant decides.
  const status = isOpen ? variants.addSuccess : Number(success?.status ?? 200)
  const schema = success?.content['application/json']
  if (!schema) return empty(status)
  if (!outcome.items) return jsonText(status, itemBody(outcome.item, schema, { api, variants, now: clock.now() }))
  const shape = shapeOf(itemsOf(schema, (node) => followReference(api, node)) ?? {}, api)
  const showItem = (item: Item) => show(item, shape, variants)
  return json(status, listBody(outcome.items, showItem, schema, { api, parameters, variants }))
}

/** Serves a read that belongs to no resource of the contract, such as a list of regions, with the plainest values of its schema. */
export function servePlainRead({ operation, context: { clock } }: HandlerRequest): EmulatorResponse {
  const { api, success } = factsOf(operation)
  const status = Number(success?.status ?? 200)
  const schema = success?.content['application/json']
  return schema ? json(status, blankOf(schema, api, clock.now())) : empty(status)
}

/** Creates the body of a response with one item. Fields that the item lacks have their plainest values. */
function itemBody(
  item: Item | undefined,
  schema: Schema,
  { api, variants, now }: { readonly api: OpenApi; readonly variants: Variants; readonly now: Date },
): string {
  const shape = shapeOf(schema, api)
  const write = (whole: Item) => assertDefined(stringifyJson(show(whole, shape, variants)))
  if (!item || shape.names.some((name) => !Object.hasOwn(item, name)))
    return write({ ...toRecord(blankOf(schema, api, now)), ...item })
  // An item object never changes (a write replaces it), and most items are read often, so their texts are cached.
  const known = bodies.get(item)
  const { emptyReferrers } = variants
  if (known?.shape === shape && known.emptyReferrers === emptyReferrers) return known.text
  const text = write(item)
  bodies.set(item, { shape, emptyReferrers, text })
  return text
}

const bodies = new WeakMap<Item, { shape: Shape; emptyReferrers: Variants['emptyReferrers']; text: string }>()

/** Returns facts of the contract about the responses of an operation, computed once per operation. */
const factsOf = memoize(({ interface: name, responses, spec }: Operation) => ({
  api: contracts[name].openapi.full,
  success: responses.find(({ status }) => /^2\d\d$/.test(status)),
  isOpen: spec?.responses.some(({ status }) => status === '2XX') ?? false,
  lists413: responses.some(({ status }) => status === '413'),
}))

/** The names of the fields of a schema, and the names of the list fields that may also be null. */
type Shape = ReturnType<typeof shapeOf>
const shapeOf = memoize((schema: object, api: object) => {
  const fields: Readonly<Record<string, Schema>> = fieldsOf(schema, (node) => followReference(api, node))
  const types = (name: string) => [fields[name]?.type].flat()
  const names = Object.keys(fields)
  const emptyable = names.filter((name) => types(name).includes('array') && types(name).includes('null'))
  return { names, emptyable: new Set(emptyable) }
})

function choose(
  outcomes: readonly PredictedOutcome[],
  { action }: StatedOperation,
  variants: Variants,
): PredictedOutcome {
  const [likely, ...others] = outcomes
  const refused = {
    add: variants.addTwice === 'refused',
    remove: variants.removeAbsent === 404,
    set: variants.deleteAbsentWatermark === 404,
  }
  const isRefused = action.kind in refused && refused[action.kind as keyof typeof refused]
  return (isRefused ? others.find(({ kind }) => kind !== 'done') : undefined) ?? (likely as PredictedOutcome) // there is at least one
}

function refuseOutcome(
  kind: Exclude<PredictedOutcome['kind'], 'done'>,
  operation: StatedOperation,
  variants: Variants,
) {
  const { resource, action } = operation
  if (kind === 'not-found') {
    const message = `The ${resource.name.replaceAll('-', ' ')} does not exist.`
    return refuse(operation, 404, { key: `${camelCase(resource.name)}.not_found`, message }, variants)
  }
  const field = 'value' in action ? action.value : ''
  return kind === 'already-there'
    ? refuse(operation, 400, { field, message: 'The value is already there.' }, variants)
    : refuse(operation, 404, { field, message: 'There is nothing to remove.' }, variants)
}

/**
 * Returns the fields of an item that the schema of a response has; all fields if the schema states no fields. For an empty list that may be
 * null, the variant `emptyReferrers` decides the value.
 */
function show(item: Item, { names, emptyable }: Shape, { emptyReferrers }: Variants): Item {
  const shown: Record<string, unknown> = {}
  for (const name of names.length > 0 ? names : Object.keys(item)) {
    if (!Object.hasOwn(item, name)) continue
    const value = item[name]
    const isEmpty = emptyable.has(name) && (value === null || (Array.isArray(value) && value.length === 0))
    shown[name] = isEmpty ? (emptyReferrers === 'null' ? null : []) : value
  }
  return shown
}

/**
 * Creates the body of a list, in the form that the contract states. If the contract permits both an array and a page, the variant
 * `listWithoutPage` decides the form for requests without `page`, or with page 0. `search` selects the items with this text in their name, or in
 * any text if they have no name. Case is ignored.
 *
 * @param items all items, in a stable order
 * @param show converts an item to JSON
 * @param schema schema of the response: an array, a page with an array, or a choice of both
 */
function listBody(
  items: readonly Item[],
  show: (item: Item) => Item,
  schema: Schema,
  {
    api,
    parameters,
    variants,
  }: Pick<HandlerRequest, 'parameters'> & { readonly api: object; readonly variants: Variants },
): unknown {
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
