/** The fields that change only on request, of each item that the target lists. */
import { isStated, operations, type Resource } from '@cdn/api/contract'
import { type FixtureName, fixturesOf } from '../../cases/resources.ts'
import type { CheckContext } from '../../run/check.ts'
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
    return steadyFields(context, [], (resource, id, field) => {
      const { own = [], others = [] } = fixturesOf(resource) ?? {}
      return [...own, ...others].some((name) => isOf(name, id)) && !changedFields(resource).includes(field)
    })
  })
}

/**
 * Lists each resource with fixtures, and further items that the suite created. Numbers and times may change on their own, such as
 * counters. So may fields that the contract does not state, and, of an item that the suite created, those that no operation changes: a new
 * item may still be in progress. Items that other checks create at the same time do not count.
 *
 * @returns the values as text, by their names
 */
export async function steadyFields(
  context: CheckContext,
  created: readonly Items[],
  isUsed: (resource: Resource, id: string, field: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const fieldsOf = async (of: Items) => {
    const { resource } = of
    const list = listOf(resource)
    if (!list) return []
    const fixed = fixturesOf(resource) !== undefined
    const fields = changedFields(resource)
    const isOfSuite = (id: string) => fixed || isOwnCollection(context, of) || of.own.includes(id)
    const isCompared = (name: string) => (fixed ? resource.fields[name] : fields.includes(name))
    return (await listItems(context, list, of)).flatMap((item) => {
      const id = String(item[resource.id ?? ''])
      return Object.entries(item)
        .filter(([name, value]) => isCompared(name) && isSteady(value) && isOfSuite(id) && isUsed(resource, id, name))
        .map(([name, value]) => [nameOf(name, resource, id), valueText(value)] as const)
    })
  }
  const others = resourcesWithFixtures.filter((resource) => created.every((items) => items.resource !== resource))
  const all = [...others.map((resource) => ({ resource, own: [], others: [], within: [] })), ...created]
  return new Map((await Promise.all(all.map(fieldsOf))).flat())
}

/** Whether nobody else adds items to a collection: it is in an item that this check created, or in a session of its own. */
export function isOwnCollection({ virtualClock }: CheckContext, { resource: { parent } }: Items): boolean {
  return virtualClock || (parent !== undefined && fixturesOf(parent) === undefined)
}

function isSteady(value: unknown): boolean {
  return (
    typeof value === 'boolean' ||
    Array.isArray(value) ||
    (typeof value === 'string' && !/^\d{4}-\d\d-\d\dT/.test(value))
  )
}
