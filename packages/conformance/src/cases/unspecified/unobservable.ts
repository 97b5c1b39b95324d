import { contracts } from '@cdn/api/contract'

/**
 * Maps the id of an unspecified point to the check that observes the point, and to the id of the observation if that differs from the id
 * of the point.
 */
export const observedByChecks: Readonly<Record<string, readonly [check: string, observation?: string]>> = {
  'management.video-library.fields': ofSuccess('get-video-library'),
  'management.pull-zone.fields': ofSuccess('get-pull-zone'),
  'management.rate-limit.figures': ofSuccess('get-pull-zone'),
  'management.versioning.deprecation': ofSuccess('get-pull-zone'),
  'management.add-allowed-referrer.id-type': ofSuccess('get-pull-zone'),
  'management.add-allowed-referrer.success': ofSuccess('add-allowed-referrer', '2xx'),
  'management.add-allowed-referrer.hostname-required': ofInput('add-allowed-referrer'),
  'management.add-allowed-referrer.error-statuses': ofInput('add-allowed-referrer'),
  'management.delete-watermark.absent-watermark': [
    'management.delete-watermark.effect',
    'management.delete-watermark.again',
  ],
  'management.delete-watermark.scope-missing-status': ['management.delete-watermark.scope-missing'],
  'logging.log-entry.fields': ['unspecified.logging.query-logs.sample'],
  'logging.read-log-file.path': ['unspecified.logging.read-log-file.lines'],
  'logging.rate-limit.other': ['unspecified.logging.query-logs.body', 'logging.query-logs.body'],
  'logging.versioning.deprecation': ['unspecified.logging.query-logs.body', 'logging.query-logs.body'],
}

function ofSuccess(operation: string, status = '200'): [string, string] {
  return [`management.${operation}.${status}`, `management.${operation}.success`]
}

function ofInput(operation: string): [string, string] {
  return [`management.${operation}.robustness`, `management.${operation}.input`]
}

const noPath = 'The spec shows no path for it, and guessing paths of an account is not safe.'
const noInterface = 'The spec does not say that a response shows it.'

/** Maps the id of an unspecified point to the reason why no observation has this id. */
export const unobservable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(contracts)
      .flatMap(({ unspecified }) => unspecified)
      .flatMap(({ id, unchecked }) => {
        const reason = id.endsWith('.operations') ? noPath : unchecked
        return reason === undefined ? [] : [[id, reason]]
      }),
  ),
  ...Object.fromEntries(
    Object.entries(observedByChecks).flatMap(([id, [, observation]]) =>
      observation === undefined ? [] : [[id, `It is part of the observation ${observation}.`]],
    ),
  ),
  'management.service.other-operations': noPath,
  'management.states.transitions': 'The spec shows no field that carries a state, so a transition cannot be observed.',
  'management.authentication.issuance': noInterface,
  'management.events.callbacks': noInterface,
  'management.limits.other': 'An undocumented limit can only be found by loading the account without bounds.',
  'logging.authentication.issuance': noInterface,
  'logging.events.callbacks': noInterface,
}
