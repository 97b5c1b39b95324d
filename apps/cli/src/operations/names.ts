import type { Operation } from '@cdn/api/contract'
import { terminalText } from '@cdn/kit/text'
import type { CommandContext } from '../program/command.ts'
import { alternatives } from '../program/value-type.ts'
import { addNames, cacheKeyOf, isNamedItem, type NamedItem, toNamedItem } from '../target/name-cache.ts'
import { UsageError } from '../terminal/command-error.ts'
import { readList } from './pages.ts'
import { nounOf } from './schema.ts'

/**
 * Finds the id of a resource by its name, with the list of the contract. Does not use the cache, which may be outdated.
 *
 * @param list the operation that lists the resources (`namedList`)
 * @param text the name in upper or lower case
 * @throws UsageError if not exactly one resource has the name; errors of `send`
 */
export async function resolveName(context: CommandContext, list: Operation, text: string): Promise<number | bigint> {
  const known = (await readList(context, list, text)).map(toNamedItem).filter(isNamedItem)
  await addNames(context.env, cacheKeyOf(await context.platform.target(), list.path), known)
  const noun = nounOf(list)
  const inAnyCase = known.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  const exact = inAnyCase.filter(({ name }) => name === text)
  const [match, ...others] = exact.length > 0 ? exact : inAnyCase
  if (match && others.length > 0) {
    const ids = alternatives([match, ...others].map((each) => String(each.id)))
    throw new UsageError(`Several ${noun}s have the name ${JSON.stringify(text)}: give the id, ${ids}.`)
  }
  if (match) return match.id
  const similar = known.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const names = similar.map(({ name }) => terminalText(name)).join(', ')
  throw new UsageError(
    `Unknown ${noun} ${JSON.stringify(text)}: ${names === '' ? `no ${noun} has this name` : `expected ${names}`}.`,
  )
}

/** Remembers the resources of a list while it is printed, so that a shell can complete their names. */
export async function* rememberNames<T>(
  context: CommandContext,
  path: string,
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T, void, void> {
  const known: NamedItem[] = []
  for await (const item of items) {
    const named = toNamedItem(item)
    if (isNamedItem(named)) known.push(named)
    yield item
  }
  await addNames(context.env, cacheKeyOf(await context.platform.target(), path), known)
}
