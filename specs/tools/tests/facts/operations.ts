/**
 * The facts about operations. They were written from the source of the spec, not from the YAML files. Only this file,
 * requirements.ts and the files in areas/ repeat facts.
 */
import { absent, type Fact, facts, listFact, pointer, present } from './fact.ts'

const deleteWatermark = pointer('paths', '/videolibrary/{id}/watermark', 'delete')
const addAllowedReferrer = pointer('paths', '/pullzone/{id}/addAllowedReferrer', 'post')
const queryLogs = pointer('paths', '/v2/pullzones/{pullZoneId}/logs', 'get')

const json = '/content/application~1json'
const error = '#/components/schemas/Error'
const errorWithAllFields = {
  [`${json}/schema/allOf`]: [{ $ref: error }],
  [`${json}/schema/required`]: ['ErrorKey', 'Field', 'Message'],
}

/** The areas that the spec names (§1). */
export const areas: readonly string[] = [
  'Stream Video Library',
  'User',
  'AuditLog',
  'Storage Zone',
  'Statistics',
  'Search',
  'Pull Zone',
  'DNS Zone',
  'DNSSEC',
  'Billing',
  'API Keys',
  'Affiliate',
  'Countries',
  'Purge',
  'Region',
]

const schemes = {
  '/AccessKey/type': 'apiKey',
  '/AccessKey/in': 'header',
  '/AccessKey/name': 'AccessKey',
  // In OpenAPI, `http` and `bearer` mean the header Authorization with the value `Bearer <JWT>`.
  '/bearer/type': 'http',
  '/bearer/scheme': 'bearer',
  '/bearer/bearerFormat': 'JWT',
}

export const managementFacts: readonly Fact[] = [
  ...facts('2', 'management', '/components/schemas/Error', {
    '/type': 'object',
    '/properties/ErrorKey/type': 'string',
    '/properties/Field/type': 'string',
    '/properties/Message/type': 'string',
    '/required': absent,
  }),

  ...facts('4.1', 'management', deleteWatermark, {
    '': present,
    '/operationId': 'DeleteWatermarkEndpoint_DeleteWatermark',
    '/tags': ['Stream Video Library'],
    '/x-effect': 'destructive',
    '/x-change': { set: { watermark: false } },
    '/parameters/id': present,
    '/parameters/id/in': 'path',
    '/parameters/id/required': true,
    '/parameters/id/schema/type': 'integer',
    '/parameters/id/schema/format': 'int64',
    '/requestBody': absent,
    '/responses/204/content': absent,
    '/responses/2XX': absent,
    '/responses/default': absent,
  }),
  ...facts('7', 'management', deleteWatermark, {
    '/responses/204': present,
    '/responses/401': present,
    '/responses/404': present,
    '/responses/500': present,
  }),
  ...facts('2', 'management', deleteWatermark, {
    [`/responses/401${json}/schema/$ref`]: error,
    [`/responses/404${json}/schema/$ref`]: error,
    [`/responses/500${json}/schema/$ref`]: error,
  }),

  ...facts('4.2', 'management', addAllowedReferrer, {
    '': present,
    '/operationId': absent,
    '/tags': ['Pull Zone'],
    '/x-effect': 'write',
    '/x-change': { add: 'Hostname', to: 'allowed-referrers' },
    '/parameters/id': present,
    '/parameters/id/in': 'path',
    '/parameters/id/required': true,
    '/parameters/id/schema': {},
    [`/requestBody${json}`]: present,
    [`/requestBody${json}/schema/type`]: 'object',
    [`/requestBody${json}/schema/properties/Hostname`]: present,
    [`/requestBody${json}/schema/properties/Hostname/type`]: 'string',
    [`/requestBody${json}/schema/properties/Hostname/minLength`]: 1,
    [`/requestBody${json}/schema/required`]: absent,
    '/requestBody/required': absent,
    '/responses/2XX': present,
    '/responses/2XX/content': absent,
  }),
  ...facts('8', 'management', addAllowedReferrer, {
    [`/requestBody${json}/schema/properties/Hostname/minLength`]: 1,
  }),
  ...facts('7', 'management', `${addAllowedReferrer}/responses/401`, { '': present, ...errorWithAllFields }),
  ...facts('7', 'management', `${addAllowedReferrer}/responses/default`, { '': present, ...errorWithAllFields }),

  ...facts('5', 'management', '/components/securitySchemes', schemes),
  ...facts('5', 'management', '', {
    '/security': [{ AccessKey: [] }],
    [`${deleteWatermark}/security`]: [{ AccessKey: [] }, { bearer: [] }],
    [`${addAllowedReferrer}/security`]: [{ AccessKey: [] }],
    [`${addAllowedReferrer}/x-scopes`]: absent,
  }),
  ...listFact('5', 'management', `${deleteWatermark}/x-scopes`, [
    'User',
    'UserApi',
    'SubuserAPIStream',
    'SubuserStream',
    'SubuserManage',
    'SubuserAPIManage',
  ]),

  ...facts('8', 'management', '', { '/x-rate-limit': absent, '/x-retention': absent }),
  ...facts('9', 'management', '/info', { '/version': '1.0.0' }),
]

export const loggingFacts: readonly Fact[] = [
  ...facts('2', 'logging', '/components/schemas/CacheStatus', { '/type': 'string' }),
  ...listFact('2', 'logging', '/components/schemas/CacheStatus/enum', [
    'HIT',
    'MISS',
    'BYPASS',
    'REVALIDATED',
    'STALE',
    'UPDATING',
    '-',
  ]),

  ...facts('4.3', 'logging', queryLogs, {
    '': present,
    '/operationId': absent,
    '/x-effect': 'read',
    '/parameters/pullZoneId': present,
    '/parameters/pullZoneId/in': 'path',
    '/parameters/pullZoneId/required': true,
    '/parameters/pullZoneId/schema': {},
    '/requestBody': absent,
    '/responses/2XX': present,
    [`/responses/2XX${json}`]: present,
    [`/responses/2XX${json}/schema`]: {},
  }),

  ...facts('5', 'logging', '/components/securitySchemes', schemes),
  ...facts('5', 'logging', '', {
    '/security': [{ AccessKey: [] }, { bearer: [] }],
    [`${queryLogs}/security`]: absent,
    [`${queryLogs}/x-scopes`]: absent,
  }),

  ...Object.entries({
    '400': 'invalid_request',
    '401': 'unauthorized',
    '403': 'forbidden',
    '404': 'logging_disabled',
    '429': 'rate_limited',
    '500': 'internal_error',
  }).flatMap(([status, code]) =>
    facts('7', 'logging', `${queryLogs}/responses/${status}`, {
      '': present,
      '/x-error-code': code,
      '/content': absent,
    }),
  ),
  ...facts('7', 'logging', `${queryLogs}/responses`, { '/default': absent }),

  ...facts('8', 'logging', '', {
    '/x-rate-limit/requests': 30,
    '/x-rate-limit/window': 'PT10S',
    '/x-rate-limit/per': 'pullZoneId',
    '/x-retention': 'P3D',
    [`${queryLogs}/x-rate-limit`]: absent,
    [`${queryLogs}/x-retention`]: absent,
  }),

  // Only the path of version 2 has a prefix; the spec shows none for version 1.
  ...facts('9', 'logging', '', {
    '/info/version': 'v2',
    [pointer('paths', '/v2/pullzones/{pullZoneId}/logs')]: present,
  }),
]
