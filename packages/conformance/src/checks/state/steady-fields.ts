/** The fields that change only on request, of each item that the target lists. */
import { isStated, operations, type Resource } from '@cdn/api/contract'
import type { CheckContext } from '../../core/check.ts'
import { type FixtureName, fixturesOf } from '../resources.ts'
import { changedFields, type Items, listItems, listOf, valueText } from './items.ts'

/** The resources whose items are in the fixtures. */
export const resourcesWithFixtures: readonly Resource[] = [
  ...new Set(operations.filter(isStated).map(({ resource }) => resource)),
].filter((resource) => fixturesOf(resource)?.interface === 'management')

/** Returns the name of a field of an item. */
export function nameOf(field: string, { name }: Resource, id: string): string {
  return `${field} of ${name} ${id}`
}

/**
 * Returns the fields of the fixtures that no operation changes, as they were before the first write of the run.
 *
 * @throws Failure or Skip if the target does not list them
 */
export function firstFields(context: CheckContext): Promise<ReadonlyMap<string, string>> {
  return context.once('fields before the first write', async () => {
    const isOf = (fixture: FixtureName, id: string) => context.fixtures[fixture] === id
    return steadyFields(context, undefined, (resource, id, field) => {
      const { own = [], others = [] } = fixturesOf(resource) ?? {}
      return [...own, ...others].some((name) => isOf(name, id)) && !changedFields(resource).includes(field)
    })
  })
}

/**
 * Lists each resource with fixtures, and that of some items. Numbers and times may change on their own, such as counters. So may
 * fields that the contract does not state.
 *
 * @returns the values as text, by their names
 */
export async function steadyFields(
  context: CheckContext,
  items: Items | undefined,
  isUsed: (resource: Resource, id: string, field: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const fieldsOf = async (resource: Resource) => {
    const list = listOf(resource)
    if (!list) return []
    const of = resource === items?.resource ? items : { resource, own: [], others: [], within: [] }
    return (await listItems(context, list, of)).flatMap((item) => {
      const id = String(item[resource.id ?? ''])
      return Object.entries(item)
        .filter(([name, value]) => resource.fields[name] && isSteady(value) && isUsed(resource, id, name))
        .map(([name, value]) => [nameOf(name, resource, id), valueText(value)] as const)
    })
  }
  const resources = new Set([...resourcesWithFixtures, ...(items ? [items.resource] : [])])
  return new Map((await Promise.all([...resources].map(fieldsOf))).flat())
}

function isSteady(value: unknown): boolean {
  return (
    typeof value === 'boolean' ||
    Array.isArray(value) ||
    (typeof value === 'string' && !/^\d{4}-\d\d-\d\dT/.test(value))
  )
}
