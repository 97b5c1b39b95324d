import { alterCall, withQuery } from '../alter.ts'
import { type Behaviour, mutant, type ServerUnderTest } from '../mutant.ts'
import { pageNames } from './parts.ts'

const v2 = 'logging.query-logs'

/** Mistakes in filters that show only in combination, or with odd values. */
export const filterMutants: readonly ServerUnderTest[] = [
  mutant(
    'filters.wildcards-stripped',
    'urlContains loses its percent signs and underscores, which the server takes for wildcards.',
    [`${v2}.per-field-search`],
    alterText(['urlContains'], (text) => text.replaceAll(/[%_]/g, '')),
  ),
  mutant(
    'filters.latin-text',
    'Search texts are decoded as Latin-1, so that a text beyond ASCII is not found.',
    [`${v2}.per-field-search`],
    alterText(['urlContains', 'userAgentContains', 'refererContains', 'search'], (text) =>
      new TextDecoder('latin1').decode(new TextEncoder().encode(text)),
    ),
  ),
]

/** Changes the values of some query parameters of version 2. */
function alterText(names: readonly string[], change: (text: string) => string): Behaviour {
  return alterCall(pageNames, (call) =>
    names.some((name) => new URLSearchParams(call.query).has(name))
      ? withQuery(call, (query) => {
          for (const name of names) {
            const text = query.get(name)
            if (text !== null) query.set(name, change(text))
          }
        })
      : call,
  )
}
