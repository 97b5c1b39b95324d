/** A single fault in the specs. `Sabotages` lists the faults by the rule that must report them. `says`: part of the message. */
export type Sabotage = readonly [file: string, from: string, to: string, says: string]
export type Sabotages = Readonly<Record<string, readonly Sabotage[]>>

const video = 'management/stream-video-library.yaml'
const zone = 'management/pull-zone.yaml'
const management = 'management/openapi.yaml'
const logging = 'logging/openapi.yaml'
const managementOverlay = 'management/supplement.overlay.yaml'
const loggingOverlay = 'logging/supplement.overlay.yaml'

const source = 'x-source: "public reference, core OpenAPI of 2026-08-19 [A]: each field may be null or absent"'
const watermarkPath = '  /videolibrary/{id}/watermark:\n    $ref: stream-video-library.yaml#/watermark\n'

/** Faults that the lint of the faulty file itself must report. */
export const sourceSabotages: Sabotages = {
  struct: [
    [video, 'x-effect: destructive', 'x-effect: delete', '"read", "write", "destructive"'],
    [zone, 'effect\n        section: "4.2"\n', 'effect\n', '`section`'],
    [zone, 'section: "8"', 'section: 8', 'Expected type `string`'],
    [management, 'unchecked: The control', 'unchekced: The control', '`unchekced` is not expected'],
  ],
  'rule/operation-has-name': [
    [video, 'x-name: delete-watermark', 'x-name: deleteWatermark', '`x-name` must be its name in kebab-case'],
  ],
  'rule/operation-has-effect': [
    [video, '    x-effect: destructive\n', '', '`x-effect` is missing: `read` if it changes nothing'],
  ],
  'rule/example-replaced': [
    [video, 'x-name: delete-watermark', 'x-name: example-video', 'replace it with an operation'],
  ],
  'contract/operation-name': [[zone, 'x-name: add-allowed-referrer', 'x-name: delete-watermark', 'names are unique']],
  'rule/operation-has-area': [[zone, 'tags: [Pull Zone]', 'tags: []', 'expected one']],
  'operation-tag-defined': [[zone, 'tags: [Pull Zone]', 'tags: [Pull Zones]', 'should be defined in global tags']],
  'operation-singular-tag': [[zone, 'tags: [Pull Zone]', 'tags: [Pull Zone, Purge]', 'should have only one tag']],
  'contract/area-shown': [
    [management, '  - name: Purge\n', '  - name: Purges\n  - name: Purge\n', '`Purges` has no operation'],
    [zone, 'tags: [Pull Zone]', 'tags: [Purge]', '`Purge` has operations'],
  ],
  'rule/area-name': [[management, 'name: Region', 'name: Región', 'Latin letters, digits and spaces']],
  'contract/area-files': [
    [zone, 'addAllowedReferrer:\n', 'remove: {}\naddAllowedReferrer:\n', '`pull-zone.yaml#/remove`'],
    [management, watermarkPath, '', '`stream-video-library.yaml#/watermark`'],
  ],
  'contract/requirement-id': [
    [video, 'id: management.delete-watermark.404', 'id: delete-watermark.404', 'is not of the form'],
    [logging, 'logging.errors.forbidden', 'logging.errors.403.code', 'is not of the form'],
    [video, 'id: management.delete-watermark.404', 'id: management.delete-watermark.401', 'ids are unique'],
  ],
  'rule/section': [[zone, 'section: "8"', 'section: "10"', 'is not a section']],
  'contract/known-extension': [
    [video, 'x-scopes:', 'x-scope:', '`x-scope` is not an extension'],
    [zone, 'schema: {}', 'schema: { x-internal: true }', '`x-internal` is not an extension'],
    [managementOverlay, source, `${source}\n    x-certainty: A`, '`x-certainty` is not an extension'],
  ],
  'contract/error-code': [
    [logging, '          x-error-code: rate_limited\n', '', 'response 429 states no'],
    [logging, '        "2XX":\n', '        "2XX":\n          x-error-code: fine\n', 'response 2XX is not an error'],
  ],
  'rule/window-is-duration': [[logging, 'window: PT10S', 'window: 10s', '`window` is not a duration']],
  'contract/rate-limit': [[logging, 'per: pullZoneId', 'per: zone', 'path parameter `zone`']],
  'rule/retention-of-interface-is-duration': [
    [logging, 'x-retention: P3D', 'x-retention: 3 days', '`x-retention` is not a duration'],
  ],
  'rule/retention-is-duration': [
    [video, 'x-effect: destructive', 'x-effect: destructive\n    x-retention: PT', '`x-retention` is not a duration'],
  ],
  'rule/scheme-has-variable': [[management, '      x-variable: CDN_ACCESS_KEY\n', '', '`x-variable` must name']],
  'rule/scopes-distinct': [
    [video, '      - UserApi\n', '      - User\n', 'each once'],
    [zone, '    x-effect: write', '    x-effect: write\n    x-scopes: []', 'at least one scope'],
  ],
  'contract/changes': [
    [video, 'x-effect: destructive', 'x-effect: read', 'remove `x-change`'],
    [
      video,
      'x-change: { set: { watermark: false } }',
      'x-change: delete',
      'state `x-resource` on the path `/videolibrary/{id}/watermark`',
    ],
    [
      zone,
      'x-change: { add: Hostname, to: allowed-referrers }',
      'x-change: create',
      '`/pullzone/{id}/addAllowedReferrer/{id}`',
    ],
  ],
  'rule/action-has-certainty': [
    [managementOverlay, source, 'x-source: a guess', 'has no certainty'],
    [managementOverlay, `    ${source}\n`, '', 'has no certainty'],
  ],
}

/** Faults in overlays that show only in the resulting contract. */
export const overlaySabotages: Sabotages = {
  'rule/operation-has-effect': [[loggingOverlay, '          x-effect: read\n', '', '`x-effect` is missing']],
  'contract/requirement-id': [[loggingOverlay, 'logging.agreement.v1-v2', 'logging.query-logs.zone', 'ids are unique']],
  'contract/changes': [
    [managementOverlay, '{ name: pull-zone, id: Id }', '{ name: PullZone, id: Id }', 'not kebab-case'],
    [managementOverlay, 'name: pull-zone,', 'name: video-library,', 'names are unique'],
    [managementOverlay, '{ name: pull-zone, id: Id }', '{ name: pull-zone }', 'needs `id`'],
    [
      managementOverlay,
      '{ name: pull-zone, id: Id }',
      '{ name: pull-zone, id: ID }',
      'no field `ID`; its fields are `Id`',
    ],
    [
      managementOverlay,
      'remove: Hostname, from',
      'remove: Host, from',
      'request body has no field `Host`; its fields are `Hostname`',
    ],
    [managementOverlay, 'remove: Hostname, from: allowed-referrers', 'remove: Hostname', '`from` is missing'],
    [managementOverlay, 'from: allowed-referrers', 'from: referrers', 'no field `referrers`'],
    [managementOverlay, 'from: allowed-referrers', 'from: Name', '`Name` is not a list'],
    [managementOverlay, 'from: allowed-referrers', 'from: Hostnames/Name', '`Hostnames` have no field `Name`'],
    [managementOverlay, '{ set: { watermark: true } }', '{ set: { mark: true } }', 'no field `mark`'],
    [managementOverlay, '{ set: { watermark: true } }', '{ set: {} }', '`set` is empty'],
    [managementOverlay, '{ set: { watermark: true } }', 'merge', 'belongs to the path of the item or the document'],
  ],
}
