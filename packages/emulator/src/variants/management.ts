import type { VariantPoint } from './point.ts'

/** Variants of the management interface. */
export const managementVariants = {
  addSuccess: {
    text: 'Status of a successful add-allowed-referrer',
    values: [204, 200, 201],
    reason: 'the public reference names 204',
    source: 'supplement',
    section: '§4.2',
  },
  addTwice: {
    text: 'Adding a value that is already in a list, such as a hostname',
    values: ['kept once', 'refused'],
    reason: 'a repetition does not change a set of hostnames; `refused` returns 400',
    source: 'unspecified',
    section: 'Management',
  },
  removeAbsent: {
    text: 'Status of removing a value that is not in a list, such as a hostname',
    values: [204, 404],
    reason: 'the list ends up without the value, as requested',
    source: 'unspecified',
    section: 'Management',
  },
  deleteAbsentWatermark: {
    text: 'Status of deleting a part that a resource does not have, such as a watermark',
    values: [204, 404],
    reason: 'the spec ties 404 to an absent library, not to an absent watermark',
    source: 'unspecified',
    section: '§4.1',
  },
  watermarkLimit: {
    text: 'Maximum size of a watermark in bytes; larger ones get a 413',
    values: [5_242_880, 65_536],
    reason: 'public facts name the status without a figure',
    source: 'unspecified',
    section: 'Management',
  },
  emptyReferrers: {
    text: 'A list without values that may be null, such as AllowedReferrers',
    values: ['array', 'null'],
    reason: 'an empty array is what a reader expects; null is permitted by the public reference',
    source: 'supplement',
    section: 'Management',
  },
  listWithoutPage: {
    text: 'A list without page, or with page 0',
    values: ['array', 'page'],
    reason: 'the core OpenAPI promises a plain array; its quickstart shows a page',
    source: 'supplement',
    section: 'Management',
  },
  errorBodies: {
    text: 'Bodies of 401, 403, 404 and 500 of the management interface, unless the spec requires one',
    values: ['as published', 'present', 'absent'],
    reason: 'the core OpenAPI has such bodies only in Get Video Library; the official command line expects no body',
    source: 'supplement',
    section: 'Management',
  },
  wrongContentType: {
    text: 'A JSON body sent under another content type',
    values: ['refused', 'accepted'],
    reason: 'the spec requires Content-Type: application/json; `refused` returns 400',
    source: 'unspecified',
    section: '§4.2',
  },
} as const satisfies Record<string, VariantPoint>
