/** The sentences that a violation of the state breaks. */
import { isStated, operations, type StatedOperation } from '@cdn/api/contract'
import { type Decides, itemName, ofId, requirementOf } from '../../exchange/requirements.ts'
import { changedFields } from './fields.ts'
import { isChange, keyOf, textOf, type Write, writeOf } from './registers.ts'
import type { StateViolation } from './suspects.ts'

/** Returns the most likely of the suspects of a violation. */
export function suspectOf({ how, suspects }: StateViolation): Write | undefined {
  // The last write is under test, and earlier ones prepare it; but what is missing or lost is an effect of the first one.
  return how === 'missing' || how === 'lost' ? suspects[0] : suspects.at(-1)
}

/** Returns the check that sent the suspected write, or else the read that shows the violation. */
export function senderOf(violation: StateViolation): string {
  return (suspectOf(violation)?.entry ?? violation.at).check
}

/** Returns the ids of the requirements that a violation breaks. */
export function brokenBy(violation: StateViolation): readonly string[] {
  const { how, register, at } = violation
  const write = suspectOf(violation)
  if (how === 'status' && isStated(at.operation)) return [idOf(at.operation, ['<operation>.404'])]
  if (!write) return []
  const { operation, entry, target, effects } = write
  if (entry.method !== operation.method.toUpperCase() && !entry.noEffect?.breaks.length)
    return effectsOf(violation, write)
  if (entry.noEffect && write.force === 'never')
    return [...entry.noEffect.breaks, ...(entry.status >= 400 ? (entry.noEffect.breaksIfRefused ?? []) : [])]
  const { action } = operation
  const isOther = how === 'other' && register.item !== target
  const isSameKind = register.resource === operation.resource
  // A request for an id that no item has must not change another item.
  if (isOther && isSameKind && write.force === 'never') return [idOf(operation, ofId)]
  const own = effects.find(({ field, member }) => field === register.field && member !== register.member)
  const isNeighbour = how === 'other' && !isOther && own !== undefined && 'value' in action
  const isChanged = register.field === '' || changedFields(register.resource).includes(register.field)
  return [
    idOf(operation, ['<operation>.effect']),
    ...(isOther && isSameKind && isChanged && action.kind !== 'create' ? [idOf(operation, ofId)] : []),
    ...(isNeighbour ? [idOf(operation, ['<operation>.one-per-call'])] : []),
  ]
}

/** The sentences of the changes on the path of a request with another method: of those whose effect it has, if there are any. */
function effectsOf({ register, seen }: StateViolation, { operation, entry }: Write): readonly string[] {
  const alike = operations.filter(({ path }) => path === operation.path).filter(isStated)
  const changes = alike.filter(isChange)
  const having = changes.filter((change) =>
    writeOf({ ...entry, operation: change })?.effects.some(
      ({ to, ...of }) => keyOf(of) === keyOf(register) && textOf(to) === seen,
    ),
  )
  return (having.length > 0 ? having : changes).map((change) => idOf(change, ['<operation>.effect']))
}

function idOf(operation: StatedOperation, decides: readonly Decides[]): string {
  return requirementOf(operation, { decides, values: itemName(operation) }).id
}
