import { operations } from '@cdn/api/contract'
import { alterCall, alterResponse, editJson, editText, withQuery } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'

/** Lists that are arrays without `page`, and pages with it. */
const listed = operations
  .filter(({ action, responses }) => {
    const { anyOf = [] } = responses.find(({ status }) => status === '200')?.content['application/json'] ?? {}
    return action?.kind === 'list' && anyOf.some(({ type }) => type === 'array')
  })
  .map(({ name }) => name)
const breaks = listed.map((name) => `management.${name}.pages`)
const isPage = (query: string) => Number(new URLSearchParams(query).get('page')) > 0

/** Mistakes about the pages of a list, and its search (supplement). */
export const listMutants: readonly ServerUnderTest[] = [
  mutant(
    'list.always-a-page',
    'A list without page is a page.',
    breaks,
    alterCall(listed, (call) => withQuery(call, (query) => query.get('page') ?? query.set('page', '1'))),
  ),
  mutant(
    'list.empty-page',
    'A page is an empty object.',
    breaks,
    alterResponse(listed, (response, { call }) =>
      isPage(call.query) ? editText(response, 200, () => '{}') : response,
    ),
  ),
  mutant(
    'list.next-page',
    'A page shows the items of the next one.',
    breaks,
    alterCall(listed, (call) =>
      withQuery(call, (query) => isPage(call.query) && query.set('page', `${Number(query.get('page')) + 1}`)),
    ),
  ),
  mutant(
    'list.more-after-the-last',
    'HasMoreItems is true on the last page.',
    breaks,
    alterResponse(listed, (response, { call }) =>
      isPage(call.query) ? editJson(response, 200, (page) => ({ ...page, HasMoreItems: true })) : response,
    ),
  ),
  mutant(
    'list.search-ignored',
    'search of a list selects nothing.',
    breaks,
    alterResponse(listed, (response, { call }) =>
      call.query.includes('search=') ? editText(response, 200, () => '[]') : response,
    ),
  ),
]
