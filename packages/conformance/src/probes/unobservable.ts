import { contracts } from '@cdn/api/contract'

const noPath = 'No path of it is shown, and guessing at paths of an account is not safe.'
const noInterface = 'Nothing of it is said to be part of an answer or to reach a caller.'

/** Why no probe can look at a point of `x-not-shown`, by its id. */
export const unobservable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(contracts)
      .flatMap(({ notShown }) => notShown)
      .filter(({ id }) => id.endsWith('.operations'))
      .map(({ id }) => [id, noPath]),
  ),
  'management.service.other-operations': noPath,
  'management.states.transitions': 'No field that carries a state is shown, so a transition has no place to be seen.',
  'management.authentication.issuance': noInterface,
  'management.events.callbacks': noInterface,
  'management.limits.other': 'A limit that nobody names can only be found by loading the account without bounds.',
  'logging.authentication.issuance': noInterface,
  'logging.events.callbacks': noInterface,
}

/** Points that a check of a requirement records beside its verdict, and the check. */
export const observedByChecks: Readonly<Record<string, string>> = {
  'management.delete-watermark.scope-missing-status': 'management.delete-watermark.scope-missing',
}
