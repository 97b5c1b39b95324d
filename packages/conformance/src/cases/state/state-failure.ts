/** Converts a violation of the state into the failure that a check reports. */
import { Failure, type Seen, value } from '../../exchange/failure.ts'
import { suspectOf } from '../../rules/state/sentences.ts'
import type { How, StateViolation } from '../../rules/state/suspects.ts'

const clauses: Readonly<Record<How, string>> = {
  forbidden: 'is changed by a request that must change nothing',
  missing: 'does not change as requested',
  lost: 'sometimes does not change as requested',
  other: 'changes although no request asks for it',
  'not-lasting': 'does not keep its value',
  views: 'differs between an item and its list',
  absent: 'changes although the item does not exist',
  status: 'has a wrong status after a deletion',
}

export function failureOf(violation: StateViolation): Failure {
  const { register, expected, seen: shown, view, how, at } = violation
  const { resource, field, member, item } = register
  const write = suspectOf(violation)
  const noEffect = write?.entry.noEffect && write.force === 'never' ? `: ${write.entry.noEffect.name}` : ''
  const name = member === undefined ? field || 'existence' : `${field} ${member}`
  const seen: Seen = {
    ...{ kind: 'state' as const, path: resource.path, field, how: `${clauses[how]}${noEffect}` },
    text: `${name} of ${item} is ${shown} in its ${view}, after ${write?.operation.name ?? 'no write'}`,
  }
  const responses = [write?.entry.response, at.response].filter((each) => each !== undefined)
  return new Failure(value(`${name} of ${item}: ${expected.join(' or ')}`), seen, {
    responses: [...new Set(responses)],
  })
}
