/**
 * The mark of a run: a name of the suite in a list of the fixtures, from the first write of the run to its last, so that runs on other machines
 * do not write at the same time.
 */
import type { ModelCall } from '@cdn/api/contract'
import { type DeclaredItem, isSweepable, undoOf } from '../../cases/state/declared-state.ts'
import { changesOf, type Items, listItems, pathOf, readItems } from '../../cases/state/items.ts'
import { bodyOf } from '../../cases/state/requests.ts'
import { eventually } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { isOwnName, namesIn } from '../../exchange/own-names.ts'

/** The list that holds the mark. */
interface Place {
  readonly item: DeclaredItem
  readonly name: string
  readonly add: ModelCall
}

/** How a claim ended. */
export interface Claim {
  /** A name of another run that uses the fixtures. Then the mark is gone, and the run may not write. */
  readonly other?: string | undefined
  /** Why no other run may see the mark, or why it could not be taken back. */
  readonly problems: readonly string[]
}

/**
 * Creates the mark of a run.
 *
 * @param context sends requests without a record, because no judge may suspect the mark
 * @param perform sends calls until the target accepts them, and returns the reasons why that was not possible
 */
export function createMark(
  context: CheckContext,
  declared: readonly DeclaredItem[],
  collections: readonly Items[],
  perform: (calls: readonly ModelCall[]) => Promise<readonly string[]>,
) {
  let place: Place | undefined

  /** The names of the suite that the target shows. What cannot be read shows none. */
  const shownNames = async (): Promise<string[]> => {
    const shown = [
      ...declared.map(({ items, id }) => readItems(context, items, id)),
      ...collections.map((each) => listItems(context, each)),
    ]
    const read = await Promise.allSettled(shown)
    return read.flatMap((one) => (one.status === 'fulfilled' ? namesIn(JSON.stringify(one.value, exact)) : []))
  }

  /** Takes the mark back. @returns the reasons why that was not possible */
  const release = async (): Promise<readonly string[]> => {
    if (!place) return []
    const { item, name, add } = place
    const back = undoOf(item, add)
    const isShown = (otherwise: boolean) =>
      readItems(context, item.items, item.id).then(
        (shown) => namesIn(JSON.stringify(shown, exact)).includes(name),
        () => otherwise,
      )
    let problems = await perform(back)
    const isGone = await eventually(context, async () => {
      if (problems.length > 0 || !(await isShown(false))) return true
      problems = await perform(back)
      return false
    })
    place = undefined
    if (!isGone) return [`could not remove ${name} from the ${item.items.resource.name} ${item.id}`]
    // A removal without a success may have been executed. A read may be old, so only a name that stays away is gone.
    return problems.length > 0 && (await eventually(context, () => isShown(true))) ? problems : []
  }

  return {
    /** The name; undefined without a mark. */
    name: () => place?.name,

    /**
     * Adds the mark to the first list of the fixtures that can hold it. A read that shows the mark also shows each one that was added before it,
     * however old the read is. So of two runs that add theirs at once, at least one sees both, and gives way: the one with the later name at
     * once, the other one if the later name stays. A target that does not keep the mark is no reason to give way: the checks report it.
     *
     * @param isOther whether a name is one of another run that may be at work
     */
    async claim(name: string, isOther: (name: string) => boolean): Promise<Claim> {
      let shown = await shownNames()
      const others = () => shown.filter(isOther).sort()
      if (others().length > 0) return { other: others().at(-1), problems: [] }
      place = placeOf(name, declared)
      if (!place) return { problems: [] }
      const problems = await perform([place.add])
      const isSeen = () => shown.includes(name)
      await eventually(context, async () => {
        shown = await shownNames()
        return others().length === 0 ? isSeen() || problems.length > 0 : others().some((other) => other < name)
      })
      const other = others().at(-1)
      if (other !== undefined) return { other, problems: await release() }
      return { problems: isSeen() || problems.length > 0 ? problems : ['the target does not show it'] }
    },

    release,
  }
}

function placeOf(name: string, declared: readonly DeclaredItem[]): Place | undefined {
  for (const item of declared)
    for (const operation of changesOf(item.items.resource).filter(isSweepable)) {
      const { action } = operation
      const body = bodyOf(operation)
      if (action.kind !== 'add' || !isOwnName(body[action.value])) continue
      const path = pathOf(operation, item.items, item.id)
      return { item, name, add: { operation, request: { path, body: { ...body, [action.value]: name } } } }
    }
  return undefined
}

/** Writes integers that JSON cannot as texts. */
function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
