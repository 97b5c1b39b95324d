import { alterCall, withQuery } from '../alter.ts'
import { type Behaviour, mutant, type ServerMutant } from '../mutant.ts'
import { alterParameters, crashes, filterNamesOf, isLaterPage, pageNames } from './parts.ts'

const v2 = 'logging.query-logs'
const has = (name: string) => (query: URLSearchParams) => query.has(name)

/** Mistakes in filters that show only in combination, or with odd values. */
export const unseenFilters: readonly ServerMutant[] = [
  mutant(
    'filters.search-drops-status',
    'Together with search, status is ignored.',
    [`${v2}.filtering`],
    alterParameters(pageNames, has('search'), (query) => query.delete('status')),
  ),
  mutant(
    'filters.code-hides-class',
    'In status, the classes after a code are ignored.',
    [`${v2}.filtering`],
    alterText(['status'], (status) => {
      const items = status.split(',')
      const firstCode = items.findIndex((item) => /^\d{3}$/.test(item))
      return items.filter((item, index) => firstCode === -1 || index < firstCode || !/^\dxx$/.test(item)).join(',')
    }),
  ),
  mutant(
    'filters.request-id-wins',
    'Together with requestId, all other filters are ignored.',
    [`${v2}.filtering`],
    alterParameters(pageNames, has('requestId'), (query) => {
      for (const name of filterNamesOf(query, 'requestId')) query.delete(name)
    }),
  ),
  mutant(
    'filters.agent-on-first-page',
    'userAgentContains is ignored from the second page on.',
    [`${v2}.per-field-search`],
    alterParameters(pageNames, isLaterPage, (query) => query.delete('userAgentContains')),
  ),
  mutant(
    'filters.wildcards-stripped',
    'urlContains loses its percent signs and underscores, which the server takes for wildcards.',
    [`${v2}.per-field-search`],
    alterText(['urlContains'], (text) => text.replaceAll(/[%_]/g, '')),
  ),
  mutant(
    'filters.plus-as-space',
    'A plus sign in userAgentContains is read as a space, although it is percent-encoded.',
    [`${v2}.per-field-search`],
    alterText(['userAgentContains'], (text) => text.replaceAll('+', ' ')),
  ),
  mutant(
    'filters.latin-text',
    'Search texts are decoded as Latin-1, so that a text beyond ASCII is not found.',
    [`${v2}.per-field-search`],
    alterText(['urlContains', 'userAgentContains', 'refererContains', 'search'], (text) =>
      new TextDecoder('latin1').decode(new TextEncoder().encode(text)),
    ),
  ),
  mutant(
    'filters.nul-crashes',
    'The server fails on a NUL in a query parameter.',
    [`${v2}.2xx`],
    crashes(pageNames, (query) => [...query.values()].some((text) => text.includes('\0'))),
  ),
  mutant(
    'filters.empty-crashes',
    'The server fails on a filter without a value.',
    [`${v2}.2xx`],
    crashes(pageNames, (query) => filterNamesOf(query).some((name) => query.get(name) === '')),
  ),
  mutant(
    'filters.status-comma-crashes',
    'The server fails on a comma at the end of status.',
    [`${v2}.400`],
    crashes(pageNames, (query) => query.get('status')?.endsWith(',') ?? false),
  ),
  mutant(
    'filters.repeated-crashes',
    'The server fails on a parameter that is given twice.',
    [`${v2}.400`],
    crashes(pageNames, (query) => new Set(query.keys()).size < [...query.keys()].length),
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
