import type { VariantPoint } from './point.ts'

/** Variants of credentials, paths, parameters and the rate limit, for both interfaces. */
export const accessVariants = {
  bearerOnKeyOperation: {
    text: 'A bearer token on an operation whose security lists only AccessKey',
    values: ['refused', 'accepted'],
    reason: 'the spec lists the AccessKey header and no other (§5, rule 3)',
    source: 'unspecified',
    section: '§5',
  },
  bareToken: {
    text: 'A token in Authorization without the word Bearer',
    values: ['refused', 'accepted'],
    reason:
      'the spec shows Bearer <JWT> (§5); the core OpenAPI calls the header a plain key, and a client of the platform sends it so',
    source: 'unspecified',
    section: '§5',
  },
  bothCredentials: {
    text: 'Both credentials in one request',
    values: ['one valid is enough', 'key decides', 'both must be valid'],
    reason: 'either of the two is accepted (§5); the spec does not say how they combine',
    source: 'unspecified',
    section: '§5',
  },
  missingScope: {
    text: 'Status for a credential without any of the required scopes',
    values: [401, 403],
    reason: 'delete-watermark lists 401 for failed authorization and no 403',
    source: 'unspecified',
    section: '§5',
  },
  unknownZone: {
    text: 'Logging status for a pull zone that does not exist',
    values: [403, 404],
    reason: 'most likely 403: an account cannot tell an absent zone from a foreign one',
    source: 'supplement',
    section: 'Logging v2',
  },
  rateWindow: {
    text: 'How the window of the rate limit moves',
    values: ['sliding', 'fixed', 'bucket'],
    reason: 'the strictest reading of "n requests per window"',
    source: 'unspecified',
    section: '§8',
  },
  rateBuckets: {
    text: 'Whether both logging versions share one limit per zone',
    values: ['shared', 'one each'],
    reason: 'the stricter reading of "per pull zone"',
    source: 'unspecified',
    section: '§8',
  },
  refusedRequests: {
    text: 'Whether refused requests count against the rate limit',
    values: ['not counted', 'counted'],
    reason: 'a caller that keeps sending requests must succeed again',
    source: 'unspecified',
    section: '§8',
  },
  retryAfter: {
    text: 'Retry-After on 429',
    values: ['absent', 'present'],
    reason: 'no response header is documented',
    source: 'supplement',
    section: 'Logging v2',
  },
  pathCase: {
    text: 'A path in another case',
    values: ['refused', 'ignored'],
    reason: 'paths are compared exactly (RFC 3986); ASP.NET ignores case',
    source: 'unspecified',
    section: '§4',
  },
  trailingSlash: {
    text: 'A slash at the end of a path',
    values: ['refused', 'ignored'],
    reason: 'the spec has no trailing slashes; ASP.NET ignores them',
    source: 'unspecified',
    section: '§4',
  },
  parameterCase: {
    text: 'A query parameter in another case',
    values: ['unknown', 'ignored'],
    reason: 'names are compared exactly, as OpenAPI does; ASP.NET ignores case',
    source: 'unspecified',
    section: 'Logging v2',
  },
  unknownParameter: {
    text: 'A query parameter that is not in the contract',
    values: ['ignored', 'refused'],
    reason: 'HTTP servers commonly ignore it; `refused` returns 400',
    source: 'unspecified',
    section: '§4.3',
  },
  repeatedParameter: {
    text: 'A query parameter given more than once',
    values: ['refused', 'first wins'],
    reason: 'no parameter is documented as a list, so a repetition is a mistake',
    source: 'unspecified',
    section: '§4.3',
  },
} as const satisfies Record<string, VariantPoint>
