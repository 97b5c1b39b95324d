/** Checks that a list is complete without `page`, that its pages hold the same items, each once, and that a search selects by name. */
import type { Operation, StatedOperation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { oldestReadMs } from '../../cases/state/read-resources.ts'
import { call } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { expect, Skip, value, wrong } from '../../exchange/failure.ts'
import { type ChecksOf, decide } from '../../exchange/requirements.ts'
import { jsonOf, seenStatus, successOrSkip } from '../../exchange/response.ts'

/** Maximum number of pages that are read of a list. */
const maxPages = 3

/** Checks of a list that the contract states as a plain array without `page`, and in pages otherwise. */
export const listChecks: ChecksOf = (operation) => {
  const { resource, action, parameters } = operation
  const page = parameters.find(({ name }) => name === 'perPage')
  if (!resource || action?.kind !== 'list' || !page || !isPlainToo(operation)) return []
  const size = Number(page.schema['minimum'] ?? 1)
  const run = async (context: CheckContext) => {
    const compare = () => comparePages(context, { ...operation, resource, action }, size)
    await compare().catch(async (error: unknown) => {
      if (context.virtualClock) throw error
      // The pages may have different ages.
      await context.wait(oldestReadMs)
      await compare()
    })
  }
  return [decide(operation, { decides: '<operation>.pages', basis: 'supplement', run })]
}

/** Whether the contract shows a plain array in addition to the pages. */
function isPlainToo({ responses }: Operation): boolean {
  const shown = responses.find(({ status }) => status === '200')?.content['application/json']
  return shown?.anyOf?.some(({ type }) => type === 'array') === true
}

async function comparePages(context: CheckContext, operation: StatedOperation, size: number): Promise<void> {
  const read = async (query: Record<string, string>) =>
    successOrSkip(await call(context, operation, { query }), `listing each ${operation.resource.name}`)
  const idsOf = (items: unknown) =>
    (Array.isArray(items) ? items : []).map((item) => String(toRecord(item)[operation.resource.id ?? '']))
  const whole = await read({})
  const all: unknown = jsonOf(whole)
  expect(Array.isArray(all), value('a plain array without page'), () => seenStatus(whole), { responses: [whole] })
  const ids = idsOf(all)
  if (ids.length === 0) throw new Skip('the list is empty')
  const seen: string[] = []
  for (let page = 1; page <= maxPages && (page - 1) * size < ids.length; page++) {
    const response = await read({ page: `${page}`, perPage: `${size}` })
    const body = jsonOf(response)
    const { Items, CurrentPage, TotalItems, HasMoreItems } = toRecord(body)
    const shown = [idsOf(Items).length, CurrentPage, TotalItems, HasMoreItems].join(', ')
    const left = ids.length - (page - 1) * size
    const right = [Math.min(left, size), page, ids.length, left > size].join(', ')
    const what = 'items, CurrentPage, TotalItems and HasMoreItems'
    expect(
      isRecord(body) && shown === right,
      value(`${what} ${right} on page ${page}`),
      wrong('a page has the wrong items or counts', { text: shown }),
      { responses: [response] },
    )
    seen.push(...idsOf(Items))
  }
  expect(new Set(seen).size === seen.length, value('each item on one page'), wrong('an item is on two pages'))
  const strange = seen.filter((id) => !ids.includes(id))
  const isWhole = strange.length === 0
  expect(isWhole, value('only items of the whole list'), wrong('pages have items that the whole list lacks'))
  const names = all.map((item) => String(toRecord(item)['Name'] ?? ''))
  const part = names.find((name) => name.length > 2)?.slice(1)
  if (part === undefined) return
  const matches = idsOf(jsonOf(await read({ search: part })))
  const having = (fold: (text: string) => string) =>
    ids.filter((_, index) => fold(names[index] ?? '').includes(fold(part)))
  // Whether a search ignores case is unspecified.
  const isRight =
    having(String).every((id) => matches.includes(id)) &&
    matches.every((id) => having((text) => text.toLowerCase()).includes(id))
  const expected = value(`${having(String).length} items with a part of a name in their name`)
  expect(isRight, expected, wrong('a search selects the wrong items', { text: `${matches.length} items` }))
}
