/** What a caller can do wrong, in one sentence each. The table in the README is made from this. */
export const verdictTable = {
  'over-limit': 'The request was sent although the rate limit was exhausted, and earned a 429 (§8).',
  'credential-in-url': 'A credential stood in the path or the query, where proxies and logs keep it.',
  'credential-on-redirect': 'A credential was sent on to another origin after a redirect.',
  'open-to': '`to` was left open on version 2: it moves with every request, so pages shift and a walk may not end.',
  'repeated-post': 'A POST was sent again after an answer that was given or lost, though it may have taken effect.',
  'paging-by-returned':
    'The offset went on by `returned` instead of `limit`, so that entries of a short page are read twice.',
  'deep-offset': 'The offset went beyond the largest page there is; long walks are to be made by time.',
} as const satisfies Record<string, string>

export type VerdictName = keyof typeof verdictTable

/** The table of verdicts as the README has it. */
export function toMarkdown(): string {
  const rows = Object.entries(verdictTable).map(([name, text]) => `| \`${name}\` | ${text} |`)
  return ['| verdict | what the caller did |', '| --- | --- |', ...rows].join('\n')
}
