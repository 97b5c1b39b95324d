/** The fields that change only on request, of each item that the target lists. */
import { isStated, operations, type Resource } from '@cdn/api/contract'
import type { CheckContext } from '../../core/check.ts'
import { type FixtureName, fixturesOf } from '../resources.ts'
import { type Items, listItems, listOf, valueText } from './items.ts'

/** A field of an item, with its value as text. */
export interface SteadyField {
  readonly resource: Resource
  readonly id: string
  readonly name: string
  readonly value: string
}

/**
 * Returns the fields of the fixtures as they were before the first write of the run.
 *
 * @throws Failure or Skip if the target does not list them
 */
export function firstFields(context: CheckContext): Promise<SteadyField[]> {
  return context.once('fields before the first write', async () => {
    const fields = await steadyFields(context, undefined)
    return fields.filter(({ resource, id }) => {
      const names = fixturesOf(resource)
      const isOf = (fixture: FixtureName) => context.fixtures[fixture] === id
      return names && [...names.own, ...names.others].some(isOf)
    })
  })
}

/**
 * Lists each resource with fixtures, and that of some items. Numbers and times may change on their own, such as counters. So may
 * fields that the contract does not state.
 */
export async function steadyFields(context: CheckContext, items: Items | undefined): Promise<SteadyField[]> {
  const resources = new Set(operations.filter(isStated).map(({ resource }) => resource))
  const fieldsOf = async (resource: Resource) => {
    const list = listOf(resource)
    const isListed = resource === items?.resource || fixturesOf(resource)?.interface === 'management'
    if (!list || !isListed) return []
    const of = resource === items?.resource ? items : { resource, own: [], others: [], within: [] }
    return (await listItems(context, list, of)).flatMap((item) =>
      Object.entries(item)
        .filter(([name, value]) => resource.fields[name] && isSteady(value))
        .map(([name, value]) => ({ resource, id: String(item[resource.id ?? '']), name, value: valueText(value) })),
    )
  }
  return (await Promise.all([...resources].map(fieldsOf))).flat()
}

function isSteady(value: unknown): boolean {
  return (
    typeof value === 'boolean' ||
    Array.isArray(value) ||
    (typeof value === 'string' && !/^\d{4}-\d\d-\d\dT/.test(value))
  )
}
