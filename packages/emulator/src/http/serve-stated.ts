import { contracts, type Item, type Outcome, type Resource, type Schema, type StatedOperation } from '@cdn/api/contract'
import { camelCase } from '@cdn/kit/case'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { fieldsOf, itemsOf } from '@cdn/kit/resources'
import type { HandlerRequest } from '../platform/handler.ts'
import { blankOf } from '../platform/state/resources.ts'
import type { Variants } from '../variants/variants.ts'
import { listBody } from './list.ts'
import type { EmulatorResponse } from './messages.ts'
import { type ErrorContent, empty, json, refuse } from './refuse.ts'

/**
 * Answers an operation by what the contract states about it (`x-resource`, `x-change`): reads and lists show the resources, all others
 * change them. Where the contract leaves the outcome open, the variants decide.
 */
export function serveStated(
  operation: StatedOperation,
  { context: { state, variants, clock }, parameters, body }: HandlerRequest,
): EmulatorResponse {
  const outcomes = state.resources.outcomes(operation, { path: parameters, body })
  const outcome = choose(outcomes, operation, variants)
  if (outcome.kind !== 'done') {
    const { status, ...problem } = refusals[outcome.kind](operation)
    return refuse(operation, status, problem, variants)
  }
  const lists413 = operation.responses.some(({ status }) => status === '413')
  if (lists413 && ArrayBuffer.isView(body) && body.byteLength > variants.watermarkLimit)
    return refuse(operation, 413, { message: `The body has more than ${variants.watermarkLimit} bytes.` }, variants)
  state.resources.all = outcome.state

  const { status, schema } = successOf(operation, variants)
  if (!schema) return empty(status)
  const api = contracts[operation.interface].openapi.full
  const follow = (node: unknown) => followReference(api, node)
  if (outcome.items) {
    const fields = fieldsOf(itemsOf(schema, follow), follow)
    return json(
      status,
      listBody(outcome.items, (item) => show(item, fields, variants), { schema, api, parameters, variants }),
    )
  }
  const sample = toRecord(blankOf(schema, api, clock.now()))
  return json(status, { ...sample, ...show(outcome.item ?? {}, fieldsOf(schema, follow), variants) })
}

/** Chooses one of the permitted outcomes. */
function choose(outcomes: readonly Outcome[], { action }: StatedOperation, variants: Variants): Outcome {
  const [likely, ...others] = outcomes
  const refused = {
    add: variants.addTwice === 'refused',
    remove: variants.removeAbsent === 404,
    set: variants.deleteAbsentWatermark === 404,
  }
  const isRefused = action.kind in refused && refused[action.kind as keyof typeof refused]
  return (isRefused ? others.find(({ kind }) => kind !== 'done') : undefined) ?? (likely as Outcome) // there is at least one
}

type Refusal = (operation: StatedOperation) => ErrorContent & { readonly status: number }

const refusals: Readonly<Record<Exclude<Outcome['kind'], 'done'>, Refusal>> = {
  'not-found': ({ resource }) => ({
    status: 404,
    key: `${camelCase(resource.name)}.not_found`,
    message: `The ${nameOf(resource)} does not exist.`,
  }),
  'already-there': ({ action }) => ({
    status: 400,
    field: 'value' in action ? action.value : '',
    message: 'The value is already there.',
  }),
  'not-there': ({ action }) => ({
    status: 404,
    field: 'value' in action ? action.value : '',
    message: 'There is nothing to remove.',
  }),
}

function nameOf({ name }: Resource): string {
  return name.replaceAll('-', ' ')
}

/** The status of a success, and the schema of its JSON body. Where the spec leaves the status open, a variant decides. */
function successOf({ responses, documented }: StatedOperation, { addSuccess }: Variants) {
  const stated = responses.find(({ status }) => /^2\d\d$/.test(status))
  const isOpen = documented?.responses.some(({ status }) => status === '2XX') ?? false
  const status = isOpen ? addSuccess : Number(stated?.status ?? 200)
  return { status, schema: stated?.content['application/json'] }
}

/** The fields of an item that a response can show; all fields if the contract shows none. */
function show(item: Item, fields: Readonly<Record<string, Schema>>, { emptyReferrers }: Variants): Item {
  const names = Object.keys(fields)
  const shown = (names.length > 0 ? names : Object.keys(item)).filter((name) => Object.hasOwn(item, name))
  const isNullable = (name: string) => [fields[name]?.type].flat().includes('null')
  const valueIn = (name: string) => {
    const value = item[name]
    const isNull = emptyReferrers === 'null' && Array.isArray(value) && value.length === 0 && isNullable(name)
    return isNull ? null : value
  }
  return Object.fromEntries(shown.map((name) => [name, valueIn(name)]))
}
