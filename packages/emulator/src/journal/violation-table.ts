/** The mistakes of callers, in one sentence each. The table in the README is generated from it. */
export const violationTable = {
  'unknown-operation': 'Neither the spec nor the supplement has an operation with this method and path.',
  'over-limit': 'The request was sent although the rate limit was exhausted, and got a 429 (§8).',
  'credential-in-url': 'The path or the query contained a credential. Proxies and logs store URLs.',
  'credential-on-redirect': 'A credential was sent to another origin after a redirect.',
  'open-to':
    'A version 2 query had no `to`. The default moves with every request, so pages shift and paging may never end.',
  'repeated-post':
    'A POST was repeated after a response or a lost response, although the first one may have taken effect.',
  'paging-by-returned':
    'The offset grew by `returned` instead of `limit`, so that entries of a short page are read twice.',
  'deep-offset': 'The offset was beyond the maximum page size. Read long ranges by time.',
} as const satisfies Record<string, string>

export type ViolationName = keyof typeof violationTable
