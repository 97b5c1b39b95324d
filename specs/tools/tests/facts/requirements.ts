/** Part of the hand-written table of facts: the ids of requirements and of unspecified points, by section. */
import { entries, type Fact } from './fact.ts'

const deleteWatermark = ['paths', '/videolibrary/{id}/watermark', 'delete']
const addAllowedReferrer = ['paths', '/pullzone/{id}/addAllowedReferrer', 'post']
const queryLogs = ['paths', '/v2/pullzones/{pullZoneId}/logs', 'get']

export const requirementFacts: readonly Fact[] = [
  ...entries('management', ['x-requirements'], '', {
    '1': ['service.areas', 'service.parity'],
    '2': ['errors.object', 'errors.error-key', 'errors.field', 'errors.message'],
    '5': ['authentication.default', 'authentication.key-place', 'authentication.missing'],
    '9': ['versioning.version'],
  }),
  ...entries('management', [...deleteWatermark, 'x-requirements'], 'delete-watermark.', {
    '2': ['library-id'],
    '4.1': ['no-request-body', '204', 'effect'],
    '5': [
      'access-key',
      'bearer',
      'scope-user',
      'scope-user-api',
      'scope-subuser-api-stream',
      'scope-subuser-stream',
      'scope-subuser-manage',
      'scope-subuser-api-manage',
      'scope-missing',
    ],
    '7': ['401', '404', '500'],
  }),
  ...entries('management', [...addAllowedReferrer, 'x-requirements'], 'add-allowed-referrer.', {
    '2': ['zone-id', 'collection', 'one-per-call'],
    '4.2': ['hostname-type', 'request-object', 'effect', '2xx'],
    '5': ['access-key'],
    '7': ['error-body'],
    '8': ['hostname-length'],
  }),
  ...entries('logging', ['x-requirements'], '', {
    '1': ['service.raw-logs', 'service.near-real-time'],
    '2': [
      'cache-status.values',
      'cache-status.hit',
      'cache-status.miss',
      'cache-status.bypass',
      'cache-status.revalidated',
      'cache-status.stale',
      'cache-status.updating',
      'cache-status.none',
    ],
    '4.4': ['read-log-file.2xx', 'read-log-file.pipe-delimited', 'read-log-file.day'],
    '5': ['authentication.missing', 'authentication.invalid', 'read-log-file.access-key', 'read-log-file.bearer'],
    '7': [
      'errors.invalid-request',
      'errors.unauthorized',
      'errors.forbidden',
      'errors.logging-disabled',
      'errors.rate-limited',
      'errors.internal-error',
      'read-log-file.400',
      'read-log-file.403-suspended',
      'read-log-file.403-disabled',
      'read-log-file.404',
      'read-log-file.500',
    ],
    '8': ['rate-limit.accepted', 'rate-limit.429', 'rate-limit.per-pull-zone', 'retention.3-days'],
  }),
  ...entries('logging', [...queryLogs, 'x-requirements'], 'query-logs.', {
    '4.3': ['2xx', 'zone', 'json', 'filtering', 'pagination', 'per-field-search'],
    '5': ['access-key', 'bearer'],
    '7': ['400', '403-suspended', '403-disabled', '404', '500'],
  }),
]

export const unspecifiedFacts: readonly Fact[] = [
  ...entries('management', ['x-unspecified'], '', {
    '1': ['service.other-operations'],
    '2': ['video-library.fields', 'pull-zone.fields'],
    '3': ['states.transitions'],
    '5': ['authentication.issuance', 'authentication.other-scopes'],
    '6': ['events.callbacks'],
    '8': ['rate-limit.figures', 'limits.other'],
    '9': ['versioning.deprecation'],
  }),
  ...entries('management', [...deleteWatermark, 'x-unspecified'], 'delete-watermark.', {
    '4.1': ['absent-watermark'],
    '5': ['scope-missing-status'],
    '7': ['error-body'],
  }),
  ...entries('management', [...addAllowedReferrer, 'x-unspecified'], 'add-allowed-referrer.', {
    '4.2': ['id-type', 'hostname-required', 'success'],
    '5': ['bearer'],
    '7': ['error-statuses'],
  }),
  ...entries('logging', ['x-unspecified'], '', {
    '2': ['log-entry.fields'],
    '4.4': ['read-log-file.path'],
    '5': ['authentication.issuance', 'authentication.scopes'],
    '6': ['events.callbacks'],
    '7': ['errors.code-place'],
    '8': ['rate-limit.other'],
    '9': ['versioning.deprecation'],
  }),
  ...entries('logging', [...queryLogs, 'x-unspecified'], 'query-logs.', {
    '4.3': ['parameters', 'body'],
    '7': ['unknown-zone'],
  }),
]
