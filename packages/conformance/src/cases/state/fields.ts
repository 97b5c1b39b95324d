/** The fields of each item that the target lists, and which of them change only on request. */
import { isStated, operations, type Resource } from '@cdn/api/contract'
import type { CheckContext } from '../../exchange/check.ts'
import { type FixtureName, fixturesOf } from '../../exchange/resources.ts'
import { changedFields, type Items, listItems, listOf, valueText } from './items.ts'

/** The resources of the management interface whose items are in the fixtures. */
export const resourcesWithFixtures: readonly Resource[] = [
  ...new Set(operations.filter(isStated).map(({ resource }) => resource)),
].filter((resource) => fixturesOf(resource)?.interface === 'management')

/** Returns the name under which a field of an item is compared and reported. */
export function nameOf(field: string, { name }: Resource, id: string): string {
  return `${field} of ${name} ${id}`
}

/** The value of a field: a number if it may be a counter, and text otherwise. */
export type Shown = string | number

/** Whether a field is as it was. A number that grows may be a counter. */
export function isAsBefore(before: Shown, after: Shown | undefined): boolean {
  return typeof before === 'number' && typeof after === 'number' ? after >= before : before === after
}

/** Pause between two reads without a write, in ms. A field that differs between them changes on its own. */
const movingMs = { live: 2_000, virtual: 60_000 } as const

/**
 * Returns the fields of the fixtures that no operation changes, as they were before the first write of the run. A later check
 * compares with these, because its own first read may already show damage.
 *
 * @throws Failure or Skip if the target does not list them
 */
export function firstFields(context: CheckContext): Promise<ReadonlyMap<string, Shown>> {
  return context.once('fields before the first write', async () => {
    const isOf = (fixture: FixtureName, id: string) => context.fixtures[fixture] === id
    const read = () =>
      listedFields(context, [], (resource, id, field) => {
        const { own = [], others = [] } = fixturesOf(resource) ?? {}
        return [...own, ...others].some((name) => isOf(name, id)) && !changedFields(resource).includes(field)
      })
    const first = await read()
    await context.wait(movingMs[context.virtualClock ? 'virtual' : 'live'])
    const second = await read()
    return new Map([...first].filter(([name, value]) => second.get(name) === value))
  })
}

/**
 * Lists the fields of each resource with fixtures, and of further items that the suite created. Times are left out, because they
 * may change on their own. Of created items, only the fields that an operation changes are listed, because a new item may still
 * be in progress. Items that other checks create at the same time are left out.
 *
 * @returns the values by their names (`nameOf`)
 */
export async function listedFields(
  context: CheckContext,
  created: readonly Items[],
  isUsed: (resource: Resource, id: string, field: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Shown>> {
  const fieldsOf = async (of: Items) => {
    const { resource } = of
    const list = listOf(resource)
    if (!list) return []
    const fixed = fixturesOf(resource) !== undefined
    const fields = changedFields(resource)
    const isOfSuite = (id: string) => fixed || isOwnCollection(context, of) || of.own.includes(id)
    return (await listItems(context, list, of)).flatMap((item) => {
      const id = String(item[resource.id ?? ''])
      return (
        Object.entries(item)
          // A field that the contract does not state may come and go.
          .filter(([name]) => (fixed ? resource.fields[name] !== undefined : fields.includes(name)))
          .filter(([name]) => isOfSuite(id) && isUsed(resource, id, name))
          .flatMap(([name, value]) => {
            const shown = shownValue(value, resource.fields[name]?.enum !== undefined)
            return shown === undefined ? [] : [[nameOf(name, resource, id), shown] as const]
          })
      )
    })
  }
  const others = resourcesWithFixtures.filter((resource) => created.every((items) => items.resource !== resource))
  const all = [...others.map((resource) => ({ resource, own: [], within: [] })), ...created]
  return new Map((await Promise.all(all.map(fieldsOf))).flat())
}

/**
 * Whether no other caller adds items to a collection: its parent is an item that the check created, or the clock of the target is
 * virtual.
 */
export function isOwnCollection({ virtualClock }: CheckContext, { resource: { parent } }: Items): boolean {
  return virtualClock || (parent !== undefined && fixturesOf(parent) === undefined)
}

/** Converts a value to a number if it may be a counter, or else to text; undefined for a time, which may change on its own. */
function shownValue(value: unknown, isOneOfFew: boolean): Shown | undefined {
  if (typeof value === 'number' && !isOneOfFew) return value
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? undefined : valueText(value)
}
