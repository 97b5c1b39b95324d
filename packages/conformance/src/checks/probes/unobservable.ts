import { contracts } from '@cdn/api/contract'

const noPath = 'The spec shows no path for it, and guessing paths of an account is not safe.'
const noInterface = 'The spec does not say that any of it is part of an answer.'

/** Reasons why no probe can observe a point of `x-unspecified`, by the id of the point. */
export const unobservable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(contracts)
      .flatMap(({ unspecified }) => unspecified)
      .flatMap(({ id, unchecked }) => {
        const reason = id.endsWith('.operations') ? noPath : unchecked
        return reason === undefined ? [] : [[id, reason]]
      }),
  ),
  'management.service.other-operations': noPath,
  'management.states.transitions': 'The spec shows no field that carries a state, so a transition cannot be observed.',
  'management.authentication.issuance': noInterface,
  'management.events.callbacks': noInterface,
  'management.limits.other': 'An undocumented limit can only be found by loading the account without bounds.',
  'logging.authentication.issuance': noInterface,
  'logging.events.callbacks': noInterface,
}

/** Points that a check records in addition to its result, with the id of the check. */
export const observedByChecks: Readonly<Record<string, string>> = {
  'management.add-allowed-referrer.hostname-twice': 'management.add-allowed-referrer.effect/again',
  'management.delete-watermark.scope-missing-status': 'management.delete-watermark.scope-missing',
}
